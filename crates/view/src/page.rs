//! The page: its files are part of the program.
//!
//! Modules import each other by names of their own (`view/draw`), which a map in `index.html` leads to files, and in an
//! exported page to the text itself.

use crate::http::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

const INDEX: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/style.css");

/// The modules, by their names.
const MODULES: &[(&str, &str)] = &[
    ("main.js", include_str!("../page/main.js")),
    ("address.js", include_str!("../page/address.js")),
    ("camera.js", include_str!("../page/camera.js")),
    ("colour.js", include_str!("../page/colour.js")),
    ("curves.js", include_str!("../page/curves.js")),
    ("draw.js", include_str!("../page/draw.js")),
    ("frames.js", include_str!("../page/frames.js")),
    ("matrix.js", include_str!("../page/matrix.js")),
    ("panel.js", include_str!("../page/panel.js")),
    ("shaders.js", include_str!("../page/shaders.js")),
];

/// A file of the page as it is served.
pub fn file(name: &str, nonce: &str) -> Option<Response> {
    match name {
        "" | "index.html" => {
            let map = import_map(|module, _| format!("./{module}"));
            let page = INDEX
                .replace("<!-- style -->", "<link rel=\"stylesheet\" href=\"./style.css\">")
                .replace("<!-- map -->", &format!("<script type=\"importmap\" nonce=\"{nonce}\">{map}</script>"))
                .replace("<!-- main -->", "<script type=\"module\" src=\"./main.js\"></script>");
            Some(Response::new("text/html; charset=utf-8", page))
        }
        "style.css" => Some(Response::new("text/css; charset=utf-8", STYLE)),
        _ => {
            let (_, text) = MODULES.iter().find(|(module, _)| *module == name)?;
            Some(Response::new("text/javascript; charset=utf-8", *text))
        }
    }
}

/// The page as one file that needs no server, with all that it would ask one for.
pub fn alone(files: &[(String, Vec<u8>)]) -> String {
    let map = import_map(|_, text| format!("data:text/javascript;base64,{}", BASE64.encode(text)));
    let data: serde_json::Map<String, Value> =
        files.iter().map(|(address, body)| (address.clone(), json!(BASE64.encode(body)))).collect();
    INDEX
        .replace("<!-- style -->", &format!("<style>{STYLE}</style>"))
        .replace("<!-- map -->", &format!("<script type=\"importmap\">{map}</script>"))
        .replace(
            "<!-- main -->",
            &format!(
                "<script type=\"application/json\" id=\"files\">{}</script>\n\
                 <script type=\"module\">import \"view/main\";</script>",
                Value::Object(data)
            ),
        )
}

fn import_map(address: impl Fn(&str, &str) -> String) -> Value {
    let imports: serde_json::Map<String, Value> = MODULES
        .iter()
        .map(|(module, text)| (format!("view/{}", module.trim_end_matches(".js")), json!(address(module, text))))
        .collect();
    json!({ "imports": imports })
}
