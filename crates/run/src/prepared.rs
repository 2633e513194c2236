//! From a scene to grains and a world, with the files that the scene names.

use crate::error::RunError;
use crate::memory::check_memory;
use riprap_engine::{AnyWorld, GrainTable, Surface};
use riprap_scene::{GrainSource, Override, Scene, seed_in};
use riprap_store::read_grains;
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::{fs, io};

/// A scene with its grains and its world, before the first step.
#[derive(Clone, Debug)]
pub struct PreparedScene {
    /// The scene; the paths in it are good from everywhere.
    pub scene: Scene,
    /// The grains that were sampled.
    pub grains: GrainTable,
    /// The world.
    pub world: AnyWorld,
}

impl PreparedScene {
    /// Samples the grains of a scene and builds its world. Files that the scene names are looked for in `folder`; the
    /// empty path is the current one. More grains than there is memory for are refused before they are placed, or as soon
    /// as they are read.
    pub fn new(mut scene: Scene, folder: &Path) -> Result<Self, RunError> {
        check_memory(scene.most_grains(), scene.dimension())?;
        let beside = BesideScene::in_folder(folder);
        let grains = scene.sample(&beside)?;
        check_memory(scene.most_grains_with(&grains), scene.dimension())?;
        let world = scene.build(&grains)?;
        // The run keeps its scene in its own folder, from where the paths of the scene would lead elsewhere.
        scene.move_paths(|path| beside.whole_path(path));
        Ok(PreparedScene { scene, grains, world })
    }

    /// Reads, checks and prepares the scene in a file; `overrides` take the place of values of its text.
    pub fn from_file(file: &Path, overrides: &[Override]) -> Result<Self, RunError> {
        SceneText::read(file)?.prepare(overrides)
    }
}

/// Reads and checks the scene in a file; `overrides` take the place of values of its text.
pub fn load_scene(file: &Path, overrides: &[Override]) -> Result<Scene, RunError> {
    SceneText::read(file)?.load(overrides)
}

/// A scene as it was written.
#[derive(Clone, Debug)]
pub struct SceneText {
    /// Its text.
    pub text: String,
    /// The name of its file in messages.
    pub file: String,
    /// The folder from which it names files; the empty path is the current one.
    pub folder: PathBuf,
    /// Values that take the place of others of the text.
    pub overrides: Vec<Override>,
}

/// What to do with a text in another encoding.
fn not_utf8(error: &FromUtf8Error) -> io::Error {
    let (bytes, at) = (error.as_bytes(), error.utf8_error().valid_up_to());
    let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
    let reason = format!("line {line} has the byte 0x{:02X}, which is not UTF-8; save the file as UTF-8", bytes[at]);
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

impl SceneText {
    /// The scene in a file.
    pub fn read(file: &Path) -> Result<Self, RunError> {
        let bytes = fs::read(file).map_err(RunError::read(file))?;
        let text = String::from_utf8(bytes).map_err(|error| RunError::read(file)(not_utf8(&error)))?;
        let folder = folder_of(file).to_owned();
        Ok(SceneText { text, file: file.display().to_string(), folder, overrides: Vec::new() })
    }

    /// The scene, checked, with more values replaced.
    pub fn load(&self, more: &[Override]) -> Result<Scene, RunError> {
        let files = BesideScene::in_folder(&self.folder);
        Ok(riprap_scene::load_with_files(&self.text, &self.file, &self.with(more), &files)?)
    }

    /// The scene with its grains and its world.
    pub fn prepare(&self, more: &[Override]) -> Result<PreparedScene, RunError> {
        PreparedScene::new(self.load(more)?, &self.folder)
    }

    /// The seed that it names, if it does, with more values replaced.
    pub(crate) fn seed(&self, more: &[Override]) -> u64 {
        seed_in(&self.text, &self.with(more))
    }

    fn with(&self, more: &[Override]) -> Vec<Override> {
        [&self.overrides[..], more].concat()
    }
}

/// Files that a scene names, found from the folder that the scene is in.
#[derive(Clone, Debug)]
pub struct BesideScene {
    folder: PathBuf,
}

impl BesideScene {
    /// For the scene in `file`.
    pub fn of(file: &Path) -> Self {
        BesideScene::in_folder(folder_of(file))
    }

    /// For scenes in `folder`; the empty path is the current one.
    pub fn in_folder(folder: &Path) -> Self {
        BesideScene { folder: folder.into() }
    }

    /// A file that the scene names. Devices and pipes may have no end, or none of what they hold ever comes.
    fn file(&self, path: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(path);
        match fs::metadata(&path) {
            Ok(found) if !found.is_file() => Err("it is not a file".into()),
            _ => Ok(path),
        }
    }

    /// A path of the scene from the root of the file system. It stays as it is where a scene cannot write that.
    fn whole_path(&self, path: &str) -> String {
        let whole = std::path::absolute(self.folder.join(path)).ok();
        whole.and_then(|whole| whole.to_str().map(str::to_owned)).unwrap_or_else(|| path.to_owned())
    }
}

impl GrainSource for BesideScene {
    fn read(&self, path: &str) -> Result<GrainTable, String> {
        read_grains(&self.file(path)?).map_err(|error| error.to_string())
    }

    fn read_surface(&self, path: &str) -> Result<Surface, String> {
        riprap_store::read_surface(&self.file(path)?).map_err(|error| error.to_string())
    }

    fn read_text(&self, path: &str) -> Result<String, String> {
        fs::read_to_string(self.file(path)?).map_err(|error| error.to_string())
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}
