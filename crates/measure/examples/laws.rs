//! Draws the graph of every contact law into a folder: `cargo run --release -p riprap-measure --example laws docs/laws`.

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for (name, chart) in riprap_measure::law_graphs() {
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.svg")), chart.draw().svg())?;
    }
    Ok(())
}
