//! Surfaces of triangles and polygons: STL (text and binary) and OBJ.
//!
//! Not based on the crates `stl_io` and `tobj`: their errors do not name the line, and `stl_io` reads the numbers of text
//! files in 32 bits.

use crate::StoreError;
use riprap_engine::Surface;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads the surface of an STL or OBJ file, in its own unit of length. Corners at the same place are made one.
pub fn read_surface(path: &Path) -> Result<Surface, StoreError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    let bytes = std::fs::read(path).map_err(StoreError::read(path))?;
    let surface = match ending.as_str() {
        "stl" => match binary_count(&bytes) {
            Some(count) => binary_stl(&bytes, count),
            None => text_stl(&text(path, &bytes)?, path)?,
        },
        "obj" => obj(&text(path, &bytes)?, path)?,
        _ => {
            return Err(StoreError::UnknownFormat {
                name: path.display().to_string(),
                known: "stl (.stl), obj (.obj)".into(),
            });
        }
    };
    if surface.faces.is_empty() {
        return Err(StoreError::damaged(path, "contains no faces"));
    }
    Ok(surface)
}

fn text(path: &Path, bytes: &[u8]) -> Result<String, StoreError> {
    String::from_utf8(bytes.to_vec())
        .map_err(|_| StoreError::damaged(path, "is neither text nor a binary STL file of the stated length"))
}

/// A header of 80 bytes, the number of triangles, and 50 bytes for each.
const HEADER: usize = 84;
const TRIANGLE: usize = 50;

/// The number of triangles, if the file is a binary STL: its length says so, since a text may start with any word.
fn binary_count(bytes: &[u8]) -> Option<usize> {
    let count = u32::from_le_bytes(bytes.get(80..HEADER)?.try_into().ok()?) as usize;
    (bytes.len() == HEADER + TRIANGLE * count).then_some(count)
}

fn binary_stl(bytes: &[u8], count: usize) -> Surface {
    let mut corners = Corners::default();
    let number = |at: usize| f64::from(f32::from_le_bytes(std::array::from_fn(|i| bytes[at + i])));
    for triangle in 0..count {
        // The normal of 12 bytes in front is implied by the corners.
        let first = HEADER + TRIANGLE * triangle + 12;
        let face = (0..3).map(|i| corners.add(std::array::from_fn(|k| number(first + 12 * i + 4 * k)))).collect();
        corners.surface.faces.push(face);
    }
    corners.surface
}

fn text_stl(text: &str, path: &Path) -> Result<Surface, StoreError> {
    let mut corners = Corners::default();
    let mut face = Vec::new();
    for (line, words) in lines(text) {
        match words[0] {
            "vertex" => face.push(corners.add(numbers(path, line, &words[1..])?)),
            "endloop" => {
                if face.len() != 3 {
                    return Err(fault(path, line, "endloop", "a loop of three vertices"));
                }
                corners.surface.faces.push(std::mem::take(&mut face));
            }
            "solid" | "facet" | "outer" | "endfacet" | "endsolid" => {}
            other => return Err(fault(path, line, other, "a line of a text STL: facet, outer loop, vertex, …")),
        }
    }
    Ok(corners.surface)
}

fn obj(text: &str, path: &Path) -> Result<Surface, StoreError> {
    let mut corners = Corners::default();
    // Where each vertex of the file is among the corners.
    let mut vertices: Vec<u32> = Vec::new();
    for (line, words) in lines(text) {
        match words[0] {
            "v" => vertices.push(corners.add(numbers(path, line, &words[1..words.len().min(4)])?)),
            "f" => {
                let corner = |word: &&str| {
                    // "7/1/2" names texture and normal as well; a negative number counts back from the last vertex.
                    let index: i64 = word.split('/').next()?.parse().ok()?;
                    let from_start = if index < 0 { vertices.len() as i64 + index } else { index - 1 };
                    vertices.get(usize::try_from(from_start).ok()?).copied()
                };
                let face: Option<Vec<u32>> = words[1..].iter().map(corner).collect();
                match face {
                    Some(face) if face.len() >= 3 => corners.surface.faces.push(face),
                    _ => {
                        return Err(fault(
                            path,
                            line,
                            &words[1..].join(" "),
                            "three or more numbers of vertices before it",
                        ));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(corners.surface)
}

/// The lines that are not empty and no comment, as words, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines().enumerate().filter_map(|(line, text)| {
        let words: Vec<&str> = text.split('#').next().unwrap_or_default().split_whitespace().collect();
        (!words.is_empty()).then_some((line + 1, words))
    })
}

fn numbers(path: &Path, line: usize, words: &[&str]) -> Result<[f64; 3], StoreError> {
    let list: Option<Vec<f64>> = words.iter().map(|word| word.parse().ok().filter(|x: &f64| x.is_finite())).collect();
    let found = list.and_then(|list| <[f64; 3]>::try_from(list).ok());
    found.ok_or_else(|| fault(path, line, &words.join(" "), "three numbers"))
}

fn fault(path: &Path, line: usize, found: &str, expected: &str) -> StoreError {
    StoreError::Text { path: path.into(), line, found: found.into(), expected: expected.into() }
}

/// A surface whose corners are each there once.
#[derive(Default)]
struct Corners {
    surface: Surface,
    known: BTreeMap<[u64; 3], u32>,
}

impl Corners {
    fn add(&mut self, corner: [f64; 3]) -> u32 {
        // Zero has two signs, which are one place.
        let key = corner.map(|x| (x + 0.0).to_bits());
        *self.known.entry(key).or_insert_with(|| {
            self.surface.vertices.push(corner);
            self.surface.vertices.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[[f64; 3]; 3]; 4] = {
        let (o, x, y, z) = ([0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.5]);
        [[o, y, x], [o, x, z], [o, z, y], [x, y, z]]
    };

    fn read(name: &str, bytes: &[u8]) -> Result<Surface, StoreError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        read_surface(&path)
    }

    #[test]
    fn text_binary_and_obj_hold_the_same_tetrahedron() {
        let mut text = String::from("solid a stone\n");
        let mut binary = vec![b's'; 80];
        binary.extend(4_u32.to_le_bytes());
        for triangle in TETRAHEDRON {
            text.push_str("facet normal 0 0 0\n outer loop\n");
            binary.extend([0; 12]);
            for corner in triangle {
                text.push_str(&format!("  vertex {} {} {:e}\n", corner[0], corner[1], corner[2]));
                binary.extend(corner.iter().flat_map(|&x| (x as f32).to_le_bytes()));
            }
            text.push_str(" endloop\nendfacet\n");
            binary.extend([0; 2]);
        }
        text.push_str("endsolid a stone\n");
        let obj = "# a stone\no stone\nv 0 0 0\nv 0 3 0\nv 2 0 0\nvn 0 0 1\nv 0 0 0.5\nf 1 2 3\nf 1/1 3/1/1 -1\nf 1 4 2\nf 3 2 4\n";
        let from_text = read("t.stl", text.as_bytes()).unwrap();
        assert_eq!((from_text.vertices.len(), from_text.faces.len()), (4, 4));
        assert_eq!(read("b.stl", &binary).unwrap(), from_text);
        assert_eq!(read("o.obj", obj.as_bytes()).unwrap(), from_text);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (name, text, line, found) in [
            ("1.stl", "solid\nfacet\nouter loop\nvertex 1 2 x\n", "4", "1 2 x"),
            ("2.stl", "solid\nvertex 1 2 3\nendloop\n", "3", "endloop"),
            ("3.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n", "3", "1 2 3"),
            ("4.obj", "v 0 0\n", "1", "0 0"),
        ] {
            let message = read(name, text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(&format!(":{line}")) || message.contains(&format!("line {line}")), "{message}");
            assert!(message.contains(found), "{message}");
        }
        assert!(read("5.obj", b"v 0 0 0\n").unwrap_err().to_string().contains("no faces"));
        assert!(read("6.ply", b"").unwrap_err().to_string().contains(".stl"));
    }
}
