//! Prints the scene reference, which stands in `docs/scene.md`.

fn main() {
    print!("{}", riprap_scene::reference());
}
