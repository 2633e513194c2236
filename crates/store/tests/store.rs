//! Whatever is written reads back to the same, and whatever is damaged is recognised.

mod sample;

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use riprap_engine::{
    AnyWorld, Body, BodyId, Cluster, D3, GrainTable, Part, PartShape, Placement, Primitive, Settings, Shape, Status,
    World, for_any_world,
};
use riprap_solve::assembled::{AssembledProblem, LocalProblem, SparseMatrix};
use riprap_store::{
    AnyState, Checkpoint, Format, ProblemFile, PvdSeries, Snapshot, StoreError, WallShape, read_checkpoint,
    read_grains, read_problem, read_snapshot, read_surface, state_hash, write_atomically, write_checkpoint,
    write_problem, write_snapshot,
};
use sample::{disks, polygons, solids, spheres};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

fn worlds() -> [(&'static str, AnyWorld); 2] {
    [("disks", disks()), ("spheres", spheres())]
}

#[test]
fn a_snapshot_shows_grains_walls_and_contacts_as_they_are() {
    let snapshot = Snapshot::of(&spheres());
    assert_eq!((snapshot.dimension, snapshot.step, snapshot.grains.len()), (3, 123, 5));
    assert_eq!(snapshot.grains.id, [1, 2, 3, 4, 5]);
    // Grain 3 stands at x = 1.733…, beyond the period from −0.5 to 1.5.
    assert!((snapshot.grains.position[2][0] - (1.0 / 3.0 + 1.4 - 2.0)).abs() < 1e-15);
    assert_eq!(snapshot.grains.image[2], [1, 0, 0]);
    assert!((snapshot.grain_table().position[2][0] - (1.0 / 3.0 + 1.4)).abs() < 1e-15);
    assert_eq!(snapshot.grain_table().material[1], "dark steel");
    // The gate was turned by a quarter turn about z.
    let WallShape::Primitive(Primitive::Plate { half_edges }) = snapshot.walls[1].shape else {
        panic!("the gate is a plate")
    };
    assert!((half_edges[0][1] - 1.0).abs() < 1e-15 && (half_edges[1][0] + 0.5).abs() < 1e-15);
    // The pair that neither touches nor acts is left out; the one that touches without an impulse is there.
    assert_eq!(snapshot.contacts.status, [Status::Stick, Status::Slide, Status::Stick, Status::Open]);
    assert_eq!(snapshot.contacts.force[0][0], 1.0 / 3.0 * (1.0 / 1e-3));

    let flat = Snapshot::of(&disks());
    assert_eq!(flat.grains.spin[1], [0.0, 0.0, 3.0]);
    assert_eq!(flat.gravity, [0.0, -9.81, 0.0]);
}

#[test]
fn angular_grains_are_shown_as_they_are() {
    let snapshot = Snapshot::of(&solids());
    // Two cubes share a form, with the block that is a wall.
    assert_eq!(snapshot.grains.form, [Some(0), Some(0), Some(1), None]);
    assert_eq!((snapshot.forms.len(), snapshot.grains.len(), snapshot.walls.len()), (3, 4, 2));
    assert!(matches!(snapshot.walls[0].shape, WallShape::Form { index: 0, .. }));
    let polygons = snapshot.body_polygons();
    // The first cube is centred on its position, and every corner is half a diagonal away.
    let of_first: Vec<_> = polygons.iter().filter(|(row, _)| *row == 0).collect();
    assert_eq!(of_first.len(), 6);
    for corner in of_first.iter().flat_map(|(_, corners)| corners) {
        let square: f64 = (0..3).map(|k| (corner[k] - snapshot.grains.position[0][k]).powi(2)).sum();
        assert!((square.sqrt() - 0.1 * 3_f64.sqrt()).abs() < 1e-15);
    }
    // A triangle of the plane is one polygon.
    let flat = Snapshot::of(&sample::polygons());
    assert_eq!(flat.body_polygons().len(), 1);
    assert_eq!(flat.body_polygons()[0].1.len(), 3);
}

#[test]
fn angular_grains_keep_their_shape_where_a_format_has_room_for_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, world) in [("solids", solids()), ("polygons", polygons())] {
        let snapshot = Snapshot::of(&world);
        let paths = write_snapshot(&snapshot, Format::Vtp, &folder.path().join(name)).unwrap();
        let bodies = fs::read_to_string(&paths[3]).unwrap();
        // Three cubes, the knob of the clump left to the file of balls; a triangle in the plane.
        let (files, faces) = if name == "solids" { (5, 18) } else { (4, 1) };
        assert_eq!(paths.len(), files);
        assert!(bodies.contains(&format!("NumberOfPolys=\"{faces}\"")));
        assert!(read_snapshot(&paths[0]).unwrap_err().to_string().contains("use the .h5"));
        // The sample of another run has the same shapes, and builds the same bodies.
        let table = snapshot.grain_table();
        assert_eq!((&table.form, &table.forms), (&snapshot.grains.form, &snapshot.forms));
        let written = checkpoint(&world);
        write_checkpoint(&folder.path().join(format!("checkpoints of {name}")), &written).unwrap();
        assert_eq!(read_checkpoint(&folder.path().join(format!("checkpoints of {name}"))).unwrap().0, written);
        // The others hold the balls about them.
        for format in [Format::Xyz, Format::LammpsDump, Format::Csv] {
            let paths = write_snapshot(&snapshot, format, &folder.path().join(name)).unwrap();
            assert_eq!(read_grains(&paths[0]).unwrap().radius, snapshot.grains.radius);
        }
    }
}

#[test]
fn a_contact_across_the_period_is_a_short_line() {
    let snapshot = Snapshot::of(&spheres());
    // Grain 5 is seen through the period from grain 1; the sample puts its contact point at x = 0.1.
    let [from, to] = snapshot.contact_line(2);
    assert_eq!(from, snapshot.grains.position[0]);
    assert_eq!(to[0], snapshot.grains.position[4][0] - 2.0);
    // On a wall the line ends at the contact point.
    assert_eq!(snapshot.contact_line(1)[0], snapshot.contacts.point[1]);
}

#[test]
fn hdf5_holds_everything() {
    let folder = tempfile::tempdir().unwrap();
    let empty = Snapshot { dimension: 2, ..Snapshot::default() };
    let angular = [("solids", solids()), ("polygons", polygons())];
    let pictures = worlds().into_iter().chain(angular).map(|(name, world)| (name, Snapshot::of(&world)));
    for (name, snapshot) in pictures.chain([("empty", empty)]) {
        let paths = write_snapshot(&snapshot, Format::Hdf5, &folder.path().join(name)).unwrap();
        assert_eq!(read_snapshot(&paths[0]).unwrap(), snapshot);
    }
}

#[test]
fn every_format_gives_back_the_grains_that_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    for (name, world) in worlds() {
        let snapshot = Snapshot::of(&world);
        for format in Format::ALL {
            let stem = folder.path().join(format!("{name}_0001"));
            let paths = write_snapshot(&snapshot, format, &stem).unwrap();
            assert_eq!(paths[0], format.main_file(&stem), "{format:?}");
            let read = read_snapshot(&paths[0]).unwrap();
            let (own, back) = (&snapshot.grains, &read.grains);
            assert_eq!(read.dimension, snapshot.dimension, "{format:?}");
            assert_eq!((&back.id, &back.position, &back.image), (&own.id, &own.position, &own.image), "{format:?}");
            assert_eq!(
                (&back.radius, &back.velocity, &back.spin),
                (&own.radius, &own.velocity, &own.spin),
                "{format:?}"
            );
            for (mass, own) in back.mass.iter().zip(&own.mass) {
                assert!((mass - own).abs() <= 1e-14 * own, "{format:?}");
            }
            if format != Format::LammpsData {
                assert_eq!(back.orientation, own.orientation, "{format:?}");
                if format != Format::Csv {
                    assert_eq!(read.cell.period, snapshot.cell.period, "{format:?}");
                }
                let material = &read.materials[usize::from(back.material[1])];
                let expected = &snapshot.materials[usize::from(own.material[1])];
                assert_eq!(material.replace('_', " "), *expected, "{format:?}");
            }
            assert_eq!(read_grains(&paths[0]).unwrap().radius, own.radius);
        }
    }
}

#[test]
fn the_balls_of_clumps_are_points_with_a_radius() {
    let folder = tempfile::tempdir().unwrap();
    let ball =
        |x: f64| Part { shape: PartShape::Ball { radius: 0.1 }, position: DVec3::X * x, orientation: DQuat::IDENTITY };
    let clump = Cluster::join(vec![ball(0.0), ball(0.15), ball(0.3)]).unwrap();
    let mut world = World::<D3>::new(Settings::new(1e-3));
    for i in 0..100 {
        let place = Placement { position: DVec3::Y * f64::from(i), ..Placement::default() };
        world.add(Body::solid(Shape::Cluster(clump.cluster.clone()), 2600.0), place);
    }
    let paths = write_snapshot(&Snapshot::of(&AnyWorld::D3(world)), Format::Vtp, &folder.path().join("s")).unwrap();
    // They have no faces, so there is no file of bodies.
    let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["s_grains.vtp", "s_contacts.vtp", "s_walls.vtp", "s_balls.vtp"]);
    let text = fs::read_to_string(&paths[3]).unwrap();
    assert!(text.contains("NumberOfPoints=\"300\""));
    assert_eq!(vtp_array(&text, "radius"), vec![0.1_f64.to_le_bytes(); 300]);
    // As faces they took 125 kB a ball; a point is about 200 bytes.
    let bytes: u64 = paths.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(bytes < 300 * 500, "{bytes}");
}

#[test]
fn other_programs_find_what_they_look_for_in_text() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = Snapshot::of(&spheres());
    let text =
        |format| fs::read_to_string(&write_snapshot(&snapshot, format, &folder.path().join("s")).unwrap()[0]).unwrap();
    // ASE looks a species up among the elements, and fails if it is none.
    assert!(text(Format::Xyz).contains("Properties=element:S:1:pos:R:3:"));
    // MDAnalysis reads the head of a dump by the places of its lines.
    let dump = text(Format::LammpsDump);
    let items: Vec<&str> = dump.lines().take(9).step_by(2).map(|line| &line[..line.len().min(9)]).collect();
    assert_eq!(items[..3], ["ITEM: TIM", "ITEM: NUM", "ITEM: BOX"]);
    assert!(dump.lines().nth(8).unwrap().starts_with("ITEM: ATOMS id type"));
}

#[test]
fn contacts_stand_beside_the_grains_in_text() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = Snapshot::of(&spheres());
    let csv = &write_snapshot(&snapshot, Format::Csv, &folder.path().join("s")).unwrap()[1];
    let text = fs::read_to_string(csv).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let force = lines[0].iter().position(|heading| *heading == "force_x").unwrap();
    for (i, line) in lines[1..].iter().enumerate() {
        assert_eq!(line.len(), lines[0].len());
        assert_eq!(line[1].parse::<u32>().unwrap(), snapshot.contacts.body2[i]);
        assert_eq!(line[force].parse::<f64>().unwrap(), snapshot.contacts.force[i][0]);
    }
    assert_eq!(lines.len() - 1, snapshot.contacts.len());
    let dump =
        fs::read_to_string(&write_snapshot(&snapshot, Format::Xyz, &folder.path().join("s")).unwrap()[1]).unwrap();
    assert!(dump.contains("ITEM: NUMBER OF ENTRIES\n3\n"));
}

/// The numbers of a data array, decoded here and not by the crate: the independent look at a VTP file.
fn vtp_array(text: &str, name: &str) -> Vec<[u8; 8]> {
    let from = text.find(&format!("Name=\"{name}\"")).unwrap();
    let content = text[from..].split_once('>').unwrap().1.split_once('<').unwrap().0;
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = content
        .chars()
        .filter_map(|character| alphabet.find(character))
        .flat_map(|six| (0..6).rev().map(move |bit| (six >> bit & 1) as u8))
        .collect();
    let bytes: Vec<u8> = bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit)).collect();
    let words: Vec<[u8; 8]> = bytes.chunks_exact(8).map(|word| word.try_into().unwrap()).collect();
    assert_eq!(u64::from_le_bytes(words[0]), 8 * (words.len() as u64 - 1), "{name} says how long it is");
    words[1..].to_vec()
}

#[test]
fn vtp_arrays_are_inline_base64_of_the_columns() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = Snapshot::of(&spheres());
    let paths = write_snapshot(&snapshot, Format::Vtp, &folder.path().join("0001")).unwrap();
    let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["grains_0001.vtp", "contacts_0001.vtp", "walls_0001.vtp", "cracks_0001.vtp"]);
    let floats =
        |text: &str, name: &str| -> Vec<f64> { vtp_array(text, name).into_iter().map(f64::from_le_bytes).collect() };
    let whole =
        |text: &str, name: &str| -> Vec<i64> { vtp_array(text, name).into_iter().map(i64::from_le_bytes).collect() };

    let grains = fs::read_to_string(&paths[0]).unwrap();
    assert_eq!(floats(&grains, "Points"), snapshot.grains.position.as_flattened());
    assert_eq!(floats(&grains, "orientation"), snapshot.grains.orientation.as_flattened());
    assert_eq!(whole(&grains, "connectivity"), [0, 1, 2, 3, 4]);
    // OVITO decides by what comes first in the file: the piece must be before all fields.
    assert!(grains.find("<Piece").unwrap() < grains.find("<FieldData").unwrap());

    let contacts = fs::read_to_string(&paths[1]).unwrap();
    assert!(contacts.contains("NumberOfPoints=\"8\" NumberOfVerts=\"0\" NumberOfLines=\"4\""));
    assert_eq!(floats(&contacts, "force"), snapshot.contacts.force.as_flattened());
    assert_eq!(whole(&contacts, "id2"), [2, 3, 5, 3]);
    assert_eq!(whole(&contacts, "status"), [1, 2, 1, 0]);
    assert_eq!(whole(&contacts, "offsets"), [2, 4, 6, 8]);

    let read = read_snapshot(&paths[0]).unwrap();
    assert_eq!((read.contacts, read.cracks), (snapshot.contacts, snapshot.cracks.clone()));
    assert_eq!(whole(&fs::read_to_string(&paths[3]).unwrap(), "mode"), [1]);

    let walls = fs::read_to_string(&paths[2]).unwrap();
    let (cells, ends) = (whole(&walls, "id"), whole(&walls, "offsets"));
    assert_eq!(cells.len(), ends.len());
    assert_eq!(floats(&walls, "Points").len() as i64, 3 * (whole(&walls, "connectivity").iter().max().unwrap() + 1));
    assert_eq!(whole(&walls, "connectivity").len() as i64, *ends.last().unwrap());
}

#[test]
fn foreign_samples_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str| -> GrainTable {
        fs::write(folder.path().join(name), text).unwrap();
        read_grains(&folder.path().join(name)).unwrap()
    };
    let table = read("a.csv", "# disks\nx, y, d\n0, 1, 0.5\n2,3,0.25\n");
    assert_eq!((table.position[1], table.radius), ([2.0, 3.0, 0.0], vec![0.25, 0.125]));
    let table = read("b.csv", "0 ,1, 2, 0.5\n2,3,4,0.25\n");
    assert_eq!(table.position, [[0.0, 1.0, 2.0], [2.0, 3.0, 4.0]]);
    let table = read("c.csv", "x,y,z,radius,material\n0,0,1,0.1,\"a, b\"\n");
    assert_eq!(table.material, ["a, b"]);

    let dump = "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp ff ff\n0 4\n0 2\n0 1\n\
                ITEM: ATOMS id type xs ys zs radius fx\n2 7 0.5 0.5 0.5 0.1 9\n1 3 0.25 0 1 0.2 9\n";
    // Of two frames the last counts; rows are put in the order of their numbers.
    let table = read("d.lammpstrj", &format!("{}{dump}", dump.replace("0.2", "0.9")));
    assert_eq!(table.position, [[1.0, 0.0, 1.0], [2.0, 1.0, 0.5]]);
    assert_eq!((table.radius, table.group), (vec![0.2, 0.1], vec!["type3".to_string(), "type7".to_string()]));

    let data = "title\n\n2 atoms\n1 atom types\n0 1 xlo xhi\n\nMasses\n\n1 1.0\n\nAtoms # sphere\n\n\
                1 1 0.2 2500 0.1 0.2 0.3\n2 1 0.4 2500 0.4 0.5 0.6 # last\n\nVelocities\n\n2 1 2 3 4 5 6\n1 0 0 0 0 0 0\n";
    let table = read("e.data", data);
    assert_eq!((table.position[1], table.radius), ([0.4, 0.5, 0.6], vec![0.1, 0.2]));
    assert_eq!((table.velocity[1], table.spin[1]), ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]));

    let table = read("f.xyz", "1\nProperties=species:S:1:pos:R:3:radius:R:1:extra:R:2\nglass 1 2 3 0.5 8 9\n");
    assert_eq!((table.position, table.material), (vec![[1.0, 2.0, 3.0]], vec!["glass".to_string()]));
}

#[test]
fn bad_samples_are_refused_with_file_line_and_expectation() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, line, found, expected) in [
        ("a.csv", "x,y,z,radius\n0,0,0,1\n0,zero,0,1\n", 3, "zero", "a coordinate"),
        ("b.csv", "x,y,z,radius\n0,0,0,-1\n", 2, "-1", "a radius above zero"),
        ("c.csv", "x,y,z,radius\n0,0,0\n", 2, "end of line", "4 columns, not fewer"),
        ("d.csv", "x,y,z,radius\n0,0,0,1,7\n", 2, "7", "4 columns, not more"),
        ("e.csv", "x,y,z\n0,0,0\n", 1, "x,y,z", "a column radius or diameter"),
        ("f.csv", "", 1, "end of file", "a header line"),
        ("g.csv", "x,y,radius\nnan,0,1\n", 2, "nan", "a finite number"),
        ("h.xyz", "two\n", 1, "two", "the number of grains"),
        ("i.xyz", "2\nProperties=pos:R:3:radius:R:1\n0 0 0 1\n", 4, "end of file", "a row of a grain"),
        ("j.xyz", "1\nhello\nAr 0 0 0\n", 2, "hello", "Properties="),
        (
            "k.xyz",
            "1\nLattice=\"1 1 0 0 1 0 0 0 1\" Properties=pos:R:3:radius:R:1\n0 0 0 1\n",
            2,
            "1 1 0",
            "orthogonal lattice",
        ),
        ("l.dump", "ITEM: TIMESTEP\n1\nnonsense\n", 3, "nonsense", "starts with ITEM:"),
        ("m.dump", "ITEM: NUMBER OF ATOMS\n9\nITEM: ATOMS id x y z\n", 3, "ITEM: ATOMS", "a column radius"),
        ("n.dump", "ITEM: BOX BOUNDS xy xz yz pp pp pp\n", 1, "xy xz yz", "triclinic"),
        ("o.data", "t\n1 atoms\nAtoms # atomic\n\n1 1 0 0 0\n", 3, "atomic", "atom style sphere"),
        ("p.data", "t\n1 atoms\nAtoms\n\n1 1 0.1 x 0 0 0\n", 5, "x", "a density"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let error = read_grains(&path).unwrap_err();
        let message = error.to_string();
        let StoreError::Text { line: at, found: text, expected: words, .. } = error else { panic!("{message}") };
        assert_eq!(at, line, "{message}");
        assert!(text.contains(found) && words.contains(expected), "{message}");
        assert!(message.contains(name), "{message}");
    }
    assert!(read_grains(&folder.path().join("none.csv")).unwrap_err().to_string().contains("could not be read"));
    fs::write(folder.path().join("q.h5"), "not HDF5 at all").unwrap();
    assert!(read_grains(&folder.path().join("q.h5")).unwrap_err().to_string().contains("is not an HDF5 file"));
    fs::write(folder.path().join("r.vtp"), "<VTKFile/>").unwrap();
    assert!(read_grains(&folder.path().join("r.vtp")).unwrap_err().to_string().contains("array \"radius\" is missing"));
}

#[test]
fn a_write_that_fails_leaves_the_old_file_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let full = || io::Error::new(io::ErrorKind::StorageFull, "no space left on device");
    let fail = |path: &Path| {
        write_atomically(path, |out| {
            // More than any buffer, so that part of it has reached the disk before the failure.
            out.write_all(&vec![b'x'; 1 << 20])?;
            Err(full())
        })
        .unwrap_err()
        .to_string()
    };
    assert!(fail(&path).contains("no partial file was left behind"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    write_atomically(&path, |out| out.write_all(b"good")).unwrap();
    let message = fail(&path);
    for part in ["a.txt", "no space left", "writing failed", "the previous file is unchanged"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"good");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = folder.path().join("no/such/folder/a.txt");
    assert!(write_atomically(&nowhere, |_| Ok(())).unwrap_err().to_string().contains("creating a temporary file"));
}

/// A small file of every format that is read: its name and its bytes.
fn good_files() -> Vec<(String, Vec<u8>)> {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let mut paths = Vec::new();
    for format in Format::ALL {
        paths.push(write_snapshot(&Snapshot::of(&solids()), format, &folder.join("a")).unwrap().remove(0));
    }
    let problem = folder.join("a.hdf5");
    let local = LocalProblem {
        size: 3,
        w: SparseMatrix::from_triplets(3, 3, (0..3).map(|i| (i, i, 2.0)).collect()).unwrap(),
        q: vec![-1.0, 0.2, 0.0],
        friction: vec![0.5],
        rolling: Vec::new(),
    };
    write_problem(&problem, &ProblemFile::new(AssembledProblem::Local(local))).unwrap();
    paths.push(problem);
    for (name, text) in [
        ("a.dat", "3 1\n0\n3 3\n3 3\n2 0 0 0 2 0 0 0 2\n-1 0.2 0\n0.5\n"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"),
        (
            "a.stl",
            "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
        ),
    ] {
        fs::write(folder.join(name), text).unwrap();
        paths.push(folder.join(name));
    }
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

fn checkpoint(world: &AnyWorld) -> Checkpoint {
    Checkpoint {
        scene: 0x0123_4567_89ab_cdef,
        state: AnyState::of(world),
        grains: Snapshot::of(world).grain_table(),
        added: vec![7, 9],
        waiting: vec![Snapshot::of(world).grain_table()],
        walls: vec![("[[walls]]".into(), 8)],
        stage: 2,
        progress: vec![0.1, f64::MIN_POSITIVE, -0.0, f64::INFINITY],
        counters: vec![("sweeps".into(), 1e9), ("größte".into(), 0.1)],
    }
}

#[test]
fn a_checkpoint_goes_on_bit_for_bit() {
    for (_, world) in worlds() {
        let folder = tempfile::tempdir().unwrap();
        let written = checkpoint(&world);
        write_checkpoint(folder.path(), &written).unwrap();
        let (read, warnings) = read_checkpoint(folder.path()).unwrap();
        assert_eq!((&read, warnings.len()), (&written, 0));
        assert_eq!(read.progress[2].to_bits(), (-0.0_f64).to_bits());
        let mut again = world.clone();
        for_any_world!(&mut again, world => world.state.position.iter_mut().for_each(|position| *position += *position));
        assert_ne!(state_hash(&again), state_hash(&world));
        read.state.put_into(&mut again).unwrap();
        assert_eq!(state_hash(&again), state_hash(&world));
    }
    let message = AnyState::of(&disks()).put_into(&mut spheres()).unwrap_err().to_string();
    assert!(message.contains("5 bodies in 2D") && message.contains("10 bodies in 3D"), "{message}");
}

#[test]
fn ids_stay_when_a_body_is_removed_and_a_checkpoint_removes_it_from_a_fresh_world() {
    let AnyWorld::D3(mut world) = spheres() else { unreachable!("spheres are in 3D") };
    world.remove(BodyId(2)).unwrap();
    let world = AnyWorld::D3(world);
    let snapshot = Snapshot::of(&world);
    assert_eq!(snapshot.grains.id, [1, 3, 4, 5]);
    assert_eq!(snapshot.walls.iter().map(|wall| wall.id).collect::<Vec<_>>(), [0, 6, 7, 8, 9]);
    assert_eq!((snapshot.contacts.body1, snapshot.contacts.body2), (vec![0, 1], vec![3, 5]));
    let mut fresh = spheres();
    AnyState::of(&world).put_into(&mut fresh).unwrap();
    assert_eq!(state_hash(&fresh), state_hash(&world));
    assert_eq!(Snapshot::of(&fresh).grains.id, [1, 3, 4, 5]);
    // Moved out and given back.
    let state = AnyState::take_from(&mut fresh);
    state.put_into(&mut fresh).unwrap();
    assert_eq!(state_hash(&fresh), state_hash(&world));
    // A world that has had more bodies than the state's is another one.
    for_any_world!(&mut fresh, world => world.state.next_id += 1);
    let message = AnyState::of(&world).put_into(&mut fresh).unwrap_err().to_string();
    assert!(message.contains("9 bodies in 3D"), "{message}");
}

#[test]
fn two_generations_are_kept_and_the_older_stands_in() {
    let folder = tempfile::tempdir().unwrap();
    let world = spheres();
    let mut paths = Vec::new();
    for stage in 0..4 {
        paths.push(write_checkpoint(folder.path(), &Checkpoint { stage, ..checkpoint(&world) }).unwrap());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_eq!(read_checkpoint(folder.path()).unwrap().0.stage, 3);

    let mut bytes = fs::read(&paths[3]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&paths[3], &bytes).unwrap();
    let (older, warnings) = read_checkpoint(folder.path()).unwrap();
    assert_eq!(older.stage, 2);
    assert!(warnings.len() == 1 && warnings[0].contains("checksum") && warnings[0].contains("000004"), "{warnings:?}");

    // A run that goes on from the older one writes a new generation before the good one goes.
    write_checkpoint(folder.path(), &Checkpoint { stage: 9, ..checkpoint(&world) }).unwrap();
    let (newest, warnings) = read_checkpoint(folder.path()).unwrap();
    assert_eq!((newest.stage, warnings.len()), (9, 0));

    for entry in fs::read_dir(folder.path()).unwrap() {
        fs::write(entry.unwrap().path(), "riprap").unwrap();
    }
    let message = read_checkpoint(folder.path()).unwrap_err().to_string();
    assert!(message.matches("cut off").count() == 2, "{message}");
}

#[test]
fn wrong_kinds_and_later_versions_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_checkpoint(folder.path(), &checkpoint(&disks())).unwrap();
    let whole = fs::read(&path).unwrap();
    let message = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        fs::write(&path, bytes).unwrap();
        read_checkpoint(folder.path()).unwrap_err().to_string()
    };
    assert!(message(0, b'R').contains("not a checkpoint of riprap"));
    assert!(message(8, 11).contains("version 11") && message(8, 11).contains("reads version 10"));
    assert!(message(whole.len() - 1, whole[whole.len() - 1] ^ 1).contains("checksum is wrong"));
    assert!(message(whole.len() - 16, whole[whole.len() - 16] ^ 1).contains("does not have the stated length"));
}

#[test]
fn a_snapshot_that_was_cut_off_is_called_truncated() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_snapshot(&Snapshot::of(&solids()), Format::Hdf5, &folder.path().join("a")).unwrap().remove(0);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() * 2 / 3]).unwrap();
    let error = read_snapshot(&path).unwrap_err().to_string();
    assert!(error.contains("the file is truncated"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_damage_to_a_checkpoint_goes_unnoticed(at in any::<prop::sample::Index>(), flip in 1_u8.., cut in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = write_checkpoint(folder.path(), &checkpoint(&spheres())).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let place = at.index(bytes.len());
        if cut { bytes.truncate(place) } else { bytes[place] ^= flip }
        fs::write(&path, &bytes).unwrap();
        let is_recognised = matches!(read_checkpoint(folder.path()), Err(StoreError::NoCheckpoint { .. }));
        prop_assert!(is_recognised);
    }

    #[test]
    fn no_flipped_bit_of_a_snapshot_gives_other_data(at in any::<prop::sample::Index>(), bit in 0..8) {
        let snapshot = Snapshot::of(&solids());
        let folder = tempfile::tempdir().unwrap();
        let path = write_snapshot(&snapshot, Format::Hdf5, &folder.path().join("a")).unwrap().remove(0);
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        fs::write(&path, bytes).unwrap();
        if let Ok(read) = read_snapshot(&path) {
            prop_assert_eq!(read, snapshot, "byte {}", at);
        }
    }

    /// Good files of every format with bytes changed, cut out, doubled or moved: each is read or refused.
    #[test]
    fn no_change_of_a_file_makes_a_reader_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5, any::<u8>()), 1..6),
    ) {
        static GOOD: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in GOOD.get_or_init(good_files) {
            let (path, mut bytes) = (folder.path().join(name), bytes.clone());
            for (at, length, kind, byte) in &changes {
                if bytes.is_empty() {
                    break;
                }
                let at = at.index(bytes.len());
                let end = at + 1 + length.index((bytes.len() - at).min(64));
                match kind {
                    0 => bytes[at] = *byte,
                    1 => bytes[at] ^= 1 << (byte % 8),
                    2 => drop(bytes.drain(at..end)),
                    3 => bytes.truncate(at),
                    _ => {
                        let copy = bytes[at..end].to_vec();
                        bytes.splice(at..at, copy);
                    }
                }
            }
            fs::write(&path, bytes).unwrap();
            let _ = read_snapshot(&path);
            let _ = read_surface(&path);
            let _ = read_problem(&path);
        }
    }

    #[test]
    fn any_state_comes_back_to_the_last_bit(
        numbers in prop::collection::vec(any::<f64>().prop_filter("equality", |x| !x.is_nan()), 0..40),
        step in any::<u64>(),
        words in prop::collection::vec(".{0,8}", 0..4),
    ) {
        let AnyState::D3(mut state) = AnyState::of(&spheres()) else { unreachable!("spheres are in 3D") };
        state.step = step;
        state.velocity = numbers.chunks_exact(3).map(glam::DVec3::from_slice).collect();
        let written = Checkpoint {
            scene: step,
            state: AnyState::D3(state),
            grains: GrainTable { radius: numbers.clone(), material: words, ..GrainTable::default() },
            added: vec![7, 9],
            waiting: Vec::new(),
            walls: Vec::new(),
            stage: step,
            progress: numbers.clone(),
            counters: Vec::new(),
        };
        let folder = tempfile::tempdir().unwrap();
        write_checkpoint(folder.path(), &written).unwrap();
        let (read, _) = read_checkpoint(folder.path()).unwrap();
        let bits = |list: &[f64]| list.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&read.progress), bits(&written.progress));
        prop_assert_eq!(read, written);
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "[ -~\n\"]{0,200}", start in 0_usize..5) {
        let starts = [
            "", "x,y,radius\n", "1\nProperties=pos:R:3:radius:R:1 ",
            "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x y radius\n", "t\n1 atoms\n\nAtoms\n\n",
        ];
        let folder = tempfile::tempdir().unwrap();
        for ending in ["csv", "xyz", "dump", "data", "vtp", "h5"] {
            let path = folder.path().join(format!("a.{ending}"));
            fs::write(&path, format!("{}{text}", starts[start])).unwrap();
            let _ = read_grains(&path);
        }
    }
}

#[test]
fn the_state_hash_sees_every_bit_that_counts() {
    let world = spheres();
    let hash = state_hash(&world);
    assert_eq!((hash.len(), &hash), (16, &state_hash(&world.clone())));
    let changed = |change: fn(&mut riprap_engine::State<riprap_engine::D3>)| {
        let AnyWorld::D3(mut world) = spheres() else { unreachable!("spheres are in 3D") };
        change(&mut world.state);
        state_hash(&AnyWorld::D3(world))
    };
    for other in [
        changed(|state| state.step += 1),
        changed(|state| state.time = f64::from_bits(state.time.to_bits() + 1)),
        changed(|state| state.position[2].z = f64::from_bits(state.position[2].z.to_bits() ^ 1)),
        changed(|state| state.velocity[0].x = -0.0),
        changed(|state| state.spin[1].y += 1e-16),
        changed(|state| state.orientation[1].w *= -1.0),
        changed(|state| state.contacts[0].impulse.x *= 2.0),
        changed(|state| state.contacts[0].bodies[1] = 4),
    ] {
        assert_ne!(other, hash);
    }
    // A fixed number for a fixed state: the hash may not depend on the machine.
    assert_eq!(state_hash(&disks()), "fd2a132b21c8ef4a");
}

#[test]
fn an_index_of_times_goes_on_where_the_run_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grains.pvd");
    let mut series = PvdSeries::open(&path, f64::INFINITY).unwrap();
    for i in 0..3 {
        series.push(0.1 * f64::from(i), &folder.path().join(format!("snapshots/grains_{i}.vtp"))).unwrap();
    }
    assert_eq!(PvdSeries::open(&path, f64::INFINITY).unwrap().entries(), series.entries());
    let mut resumed = PvdSeries::open(&path, 0.1).unwrap();
    assert_eq!(resumed.entries().len(), 2);
    resumed.push(0.1, &folder.path().join("snapshots/grains_1.vtp")).unwrap();
    resumed.push(0.2, &folder.path().join("snapshots/grains_2.vtp")).unwrap();
    assert_eq!(resumed.entries(), series.entries());
    assert_eq!(series.entries()[2], (0.2, "snapshots/grains_2.vtp".to_string()));
}

/// Files that were found by changing good ones at random; none of them is what it claims to be.
#[test]
fn hostile_files_are_refused_before_they_are_believed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    for (file, reason) in [
        ("endless-names.h5", "larger than the file"),
        ("huge-dimension.h5", "the dimension is"),
        ("four-dimensions.h5", "the dimension is 4"),
        ("infinite-radius.h5", "out of range for computation"),
        ("bad-radius.h5", "radius"),
        ("huge-force.h5", "out of range for computation"),
    ] {
        let error = read_snapshot(&folder.join(file)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let problem = read_problem(&folder.join("endless-title.hdf5")).unwrap();
    assert_eq!(problem.title, "", "a title that is longer than its file is none");
}

#[test]
fn a_snapshot_whose_names_would_command_a_terminal_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut snapshot = Snapshot::of(&spheres());
    snapshot.materials[0] = "\u{1b}[31mred".into();
    let path = write_snapshot(&snapshot, Format::Hdf5, &folder.path().join("a")).unwrap().remove(0);
    let error = read_snapshot(&path).unwrap_err().to_string();
    assert!(error.contains("control character") && !error.contains('\u{1b}'), "{error}");
}

#[test]
fn names_with_separators_and_quotes_come_back_from_csv() {
    let folder = tempfile::tempdir().unwrap();
    let mut snapshot = Snapshot::of(&spheres());
    snapshot.materials = vec!["a;b,\"c\"".into(), "<d>&".into()];
    let path = write_snapshot(&snapshot, Format::Csv, &folder.path().join("a")).unwrap().remove(0);
    assert_eq!(read_grains(&path).unwrap().material, snapshot.grain_table().material);
}

#[test]
#[cfg(unix)]
fn a_link_in_the_place_of_a_temporary_file_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, elsewhere) = (folder.path().join("a.txt"), folder.path().join("elsewhere"));
    fs::write(&elsewhere, "mine").unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder.path().join(".a.txt.partial")).unwrap();
    write_atomically(&path, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&elsewhere).unwrap(), b"mine");
    assert!(path.is_file() && !path.is_symlink());
}

#[test]
fn what_walls_carried_is_in_snapshots_per_area_and_reads_back() {
    let AnyWorld::D3(mut world) = spheres() else { unreachable!("they are in space") };
    world.state.added_at.fill(0.0);
    let snapshot = Snapshot::of(&AnyWorld::D3(world));
    let faces = &snapshot.faces;
    // The floor is endless; the gate is 2 m by 1 m, there since the start.
    assert_eq!(
        (faces.wall.as_slice(), faces.face.as_slice(), faces.area.as_slice()),
        (&[0, 6][..], &[0, 0][..], &[0.0, 2.0][..])
    );
    assert_eq!((faces.normal_stress[0], faces.wear_depth[0], faces.wear_depth[1]), (0.0, 0.0, 3.5e-12));
    assert!((faces.normal_stress[1] - 2.5 / 2.0 / snapshot.time).abs() < 1e-12);
    let folder = tempfile::tempdir().unwrap();
    let files = write_snapshot(&snapshot, Format::Hdf5, &folder.path().join("s")).unwrap();
    assert_eq!(read_snapshot(&files[0]).unwrap(), snapshot);
    let files = write_snapshot(&snapshot, Format::Vtp, &folder.path().join("s")).unwrap();
    let walls = fs::read_to_string(&files[2]).unwrap();
    let table = write_snapshot(&snapshot, Format::Csv, &folder.path().join("s")).unwrap();
    let table = fs::read_to_string(&table[3]).unwrap();
    assert!(table.starts_with("wall,face,area,normal_impulse,normal_stress,sliding_work,worn_volume,wear_depth\n0,0,"));
    assert_eq!(table.lines().count(), 3);
    assert!(["normal_stress", "sliding_work", "wear_depth"].iter().all(|name| walls.contains(name)));
}

#[test]
fn a_sheared_cell_is_in_snapshots_and_its_grains_lie_in_one_period() {
    let AnyWorld::D3(mut world) = spheres() else { unreachable!("they are in space") };
    world.state.cell.period.z = 0.25;
    world.state.cell.tilt = 0.3;
    let snapshot = Snapshot::of(&AnyWorld::D3(world));
    assert_eq!(snapshot.cell.tilt, 0.3);
    let table = snapshot.grain_table();
    assert_eq!((table.cell.tilt, table.cell.period), (0.3, [2.0, 0.0, 0.25]));
    assert_eq!(table.position, snapshot.grains.position);
    let folder = tempfile::tempdir().unwrap();
    let files = write_snapshot(&snapshot, Format::Hdf5, &folder.path().join("s")).unwrap();
    assert_eq!(read_snapshot(&files[0]).unwrap(), snapshot);
}
