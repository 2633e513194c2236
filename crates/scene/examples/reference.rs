//! Prints the scene reference, which is kept in `docs/scene.md`, or with the argument `schema` the JSON schema.

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("schema") => print!("{:#}", riprap_scene::schema()),
        _ => print!("{}", riprap_scene::reference()),
    }
}
