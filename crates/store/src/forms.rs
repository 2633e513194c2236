//! Forms as flat columns, for files of numbers: form `i` has the parts from `first_part[i]` up to `first_part[i + 1]`,
//! a part has its vertices and faces in the same way, and a face its corners, which count from the first vertex of
//! their part.

use riprap_engine::{Form, FormPart, Surface};

/// See the module's page. Every `first_…` has one entry more than there are rows, the last of which is the end.
#[derive(Default)]
pub struct FormColumns {
    /// 0 convex, 1 cluster, 2 mesh.
    pub kind: Vec<u8>,
    /// Of clusters; zero for the others, whose vertices say it.
    pub volume: Vec<f64>,
    /// The same for principal moments of inertia.
    pub inertia: Vec<[f64; 3]>,
    pub first_part: Vec<u64>,
    /// 0 ball, 1 surface.
    pub part_kind: Vec<u8>,
    /// Zero for surfaces.
    pub part_radius: Vec<f64>,
    pub part_position: Vec<[f64; 3]>,
    pub part_orientation: Vec<[f64; 4]>,
    pub first_vertex: Vec<u64>,
    pub first_face: Vec<u64>,
    pub vertex: Vec<[f64; 3]>,
    pub first_corner: Vec<u64>,
    pub corner: Vec<u32>,
}

const IDENTITY: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

impl FormColumns {
    /// The columns of some forms.
    pub fn of(forms: &[Form]) -> Self {
        let mut columns = FormColumns::default();
        for form in forms {
            columns.first_part.push(columns.part_kind.len() as u64);
            let (kind, volume, inertia) = match form {
                Form::Convex(surface) => {
                    columns.add_surface(surface, [0.0; 3], IDENTITY);
                    (0, 0.0, [0.0; 3])
                }
                Form::Cluster { parts, volume, inertia } => {
                    for part in parts {
                        match part {
                            FormPart::Ball { centre, radius } => {
                                columns.add_part(0, *radius, *centre, IDENTITY);
                            }
                            FormPart::Convex { surface, position, orientation } => {
                                columns.add_surface(surface, *position, *orientation);
                            }
                        }
                    }
                    (1, *volume, *inertia)
                }
                Form::Mesh(surface) => {
                    columns.add_surface(surface, [0.0; 3], IDENTITY);
                    (2, 0.0, [0.0; 3])
                }
            };
            columns.kind.push(kind);
            columns.volume.push(volume);
            columns.inertia.push(inertia);
        }
        columns.first_part.push(columns.part_kind.len() as u64);
        columns.first_vertex.push(columns.vertex.len() as u64);
        columns.first_face.push(columns.first_corner.len() as u64);
        columns.first_corner.push(columns.corner.len() as u64);
        columns
    }

    fn add_part(&mut self, kind: u8, radius: f64, position: [f64; 3], orientation: [f64; 4]) {
        self.part_kind.push(kind);
        self.part_radius.push(radius);
        self.part_position.push(position);
        self.part_orientation.push(orientation);
        self.first_vertex.push(self.vertex.len() as u64);
        self.first_face.push(self.first_corner.len() as u64);
    }

    fn add_surface(&mut self, surface: &Surface, position: [f64; 3], orientation: [f64; 4]) {
        self.add_part(1, 0.0, position, orientation);
        self.vertex.extend(&surface.vertices);
        for face in &surface.faces {
            self.first_corner.push(self.corner.len() as u64);
            self.corner.extend(face);
        }
    }

    /// The inverse of [`FormColumns::of`]; none if the columns do not fit together.
    pub fn forms(&self) -> Option<Vec<Form>> {
        (0..self.kind.len())
            .map(|form| {
                let parts = part_of(&self.part_kind, &self.first_part, form)?;
                let first = self.first_part[form] as usize;
                let only = || if parts.len() == 1 { self.surface(first) } else { None };
                Some(match self.kind[form] {
                    0 => Form::Convex(only()?),
                    1 => Form::Cluster {
                        parts: (first..first + parts.len()).map(|part| self.part(part)).collect::<Option<_>>()?,
                        volume: self.volume[form],
                        inertia: self.inertia[form],
                    },
                    2 => Form::Mesh(only()?),
                    _ => return None,
                })
            })
            .collect()
    }

    fn part(&self, part: usize) -> Option<FormPart> {
        let (position, orientation) = (self.part_position[part], self.part_orientation[part]);
        match self.part_kind[part] {
            0 => Some(FormPart::Ball { centre: position, radius: self.part_radius[part] }),
            1 => Some(FormPart::Convex { surface: self.surface(part)?, position, orientation }),
            _ => None,
        }
    }

    fn surface(&self, part: usize) -> Option<Surface> {
        let vertices = part_of(&self.vertex, &self.first_vertex, part)?.to_vec();
        let faces = self.first_face[part] as usize..*self.first_face.get(part + 1)? as usize;
        let faces: Vec<Vec<u32>> =
            faces.map(|face| Some(part_of(&self.corner, &self.first_corner, face)?.to_vec())).collect::<Option<_>>()?;
        faces.iter().flatten().all(|&corner| (corner as usize) < vertices.len()).then_some(Surface { vertices, faces })
    }
}

/// The rows of entry `i`.
fn part_of<'a, T>(rows: &'a [T], first: &[u64], i: usize) -> Option<&'a [T]> {
    let bounds = [first.get(i)?, first.get(i + 1)?].map(|&bound| usize::try_from(bound).ok());
    rows.get(bounds[0]?..bounds[1]?)
}
