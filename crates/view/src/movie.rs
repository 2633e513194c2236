//! Movies: one picture per snapshot, as a folder of PNG, an animated PNG or GIF, or through ffmpeg.

use crate::look::Look;
use crate::render::{Image, Settings, render};
use riprap_store::{Snapshot, write_atomically};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Snapshots that are looked at first, for a camera and a range of colours that suit them all.
const SAMPLED: usize = 9;

/// What a movie becomes, by the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovieFormat {
    /// A folder of numbered PNG files.
    Pictures,
    /// An animated PNG.
    AnimatedPng,
    /// A GIF.
    Gif,
    /// A video, made by ffmpeg.
    Video,
}

impl MovieFormat {
    /// The format that the ending of a path asks for; a path without an ending is a folder.
    pub fn of_path(path: &Path) -> Result<MovieFormat, String> {
        match path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase).as_deref() {
            None => Ok(MovieFormat::Pictures),
            Some("png" | "apng") => Ok(MovieFormat::AnimatedPng),
            Some("gif") => Ok(MovieFormat::Gif),
            Some("mp4" | "webm" | "mkv" | "mov") => Ok(MovieFormat::Video),
            Some(_) => Err(format!("{} must end in .mp4, .webm, .gif or .png, or be a folder", path.display())),
        }
    }
}

/// A movie of some snapshots.
pub struct Movie<'a> {
    /// How to look at them.
    pub look: &'a Look,
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Pictures per second.
    pub speed: u16,
    /// How many snapshots there are.
    pub count: usize,
    /// Reads one of them.
    pub read: &'a mut dyn FnMut(usize) -> Result<Snapshot, String>,
    /// Called after each picture.
    pub drawn: &'a mut dyn FnMut(usize),
}

impl Movie<'_> {
    /// Makes the movie.
    pub fn write(mut self, path: &Path) -> Result<(), String> {
        let format = MovieFormat::of_path(path)?;
        if self.count == 0 {
            return Err("there are no snapshots".into());
        }
        // Videos and GIFs want even sides below 65,536.
        self.size = self.size.map(|side| side.clamp(160, 16_384).next_multiple_of(2));
        let settings = self.settings()?;
        let since = (self.read)(self.look.since.min(self.count - 1))?;
        match format {
            MovieFormat::Pictures => self.pictures(path, &settings, &since),
            MovieFormat::AnimatedPng => self.animated_png(path, &settings, &since),
            MovieFormat::Gif => self.gif(path, &settings, &since),
            MovieFormat::Video => self.video(path, &settings, &since),
        }
    }

    /// One camera and one range of colours for all pictures.
    fn settings(&mut self) -> Result<Settings, String> {
        let (last, sampled) = (self.count - 1, SAMPLED.min(self.count));
        let chosen = (0..sampled).map(|k| k * last / (sampled - 1).max(1));
        let snapshots = chosen.map(|k| (self.read)(k)).collect::<Result<Vec<_>, _>>()?;
        Settings::of(self.look, &snapshots.iter().collect::<Vec<_>>(), self.size)
    }

    fn picture(&mut self, k: usize, settings: &Settings, since: &Snapshot) -> Result<Image, String> {
        let image = render(&(self.read)(k)?, since, self.look, settings)?;
        (self.drawn)(k);
        Ok(image)
    }

    fn pictures(&mut self, folder: &Path, settings: &Settings, since: &Snapshot) -> Result<(), String> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for k in 0..self.count {
            let bytes = self.picture(k, settings, since)?.png();
            let file = folder.join(format!("picture_{k:06}.png"));
            write_atomically(&file, |out| out.write_all(&bytes)).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn animated_png(&mut self, path: &Path, settings: &Settings, since: &Snapshot) -> Result<(), String> {
        let whole = write_atomically(path, |out| {
            let mut encoder = png::Encoder::new(out, self.size[0] as u32, self.size[1] as u32);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_animated(self.count as u32, 0)?;
            encoder.set_frame_delay(1, self.speed)?;
            let mut writer = encoder.write_header()?;
            for k in 0..self.count {
                let image = self.picture(k, settings, since).map_err(io::Error::other)?;
                writer.write_image_data(&image.rgb)?;
            }
            Ok(writer.finish()?)
        });
        whole.map_err(|error| error.to_string())
    }

    fn gif(&mut self, path: &Path, settings: &Settings, since: &Snapshot) -> Result<(), String> {
        let [width, height] = self.size.map(|side| side as u16);
        let whole = write_atomically(path, |out| {
            let mut encoder = gif::Encoder::new(out, width, height, &[]).map_err(io::Error::other)?;
            encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
            for k in 0..self.count {
                let image = self.picture(k, settings, since).map_err(io::Error::other)?;
                let mut frame = gif::Frame::from_rgb_speed(width, height, &image.rgb, 10);
                // In hundredths of a second.
                frame.delay = (100 / self.speed.max(1)).max(2);
                encoder.write_frame(&frame).map_err(io::Error::other)?;
            }
            Ok(())
        });
        whole.map_err(|error| error.to_string())
    }

    fn video(&mut self, path: &Path, settings: &Settings, since: &Snapshot) -> Result<(), String> {
        let partial = partial(path);
        let mut ffmpeg = self.ffmpeg(&partial)?;
        let written = self.pipe(&mut ffmpeg, settings, since);
        drop(ffmpeg.stdin.take());
        let ended = ffmpeg.wait().map_err(|error| format!("ffmpeg: {error}"))?;
        if written.is_err() || !ended.success() {
            let _ = fs::remove_file(&partial);
            written?;
            return Err(format!("ffmpeg could not make {}", path.display()));
        }
        fs::rename(&partial, path).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn ffmpeg(&self, partial: &Path) -> Result<Child, String> {
        let [width, height] = self.size;
        let (size, speed) = (format!("{width}x{height}"), self.speed.to_string());
        let mut command = Command::new("ffmpeg");
        command
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", &size])
            .args(["-framerate", &speed, "-i", "-", "-pix_fmt", "yuv420p"])
            .arg(partial)
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                "videos need ffmpeg, which is not installed; .gif, .png or a folder of images need no other program"
                    .into()
            }
            _ => format!("ffmpeg: {error}"),
        })
    }

    fn pipe(&mut self, ffmpeg: &mut Child, settings: &Settings, since: &Snapshot) -> Result<(), String> {
        for k in 0..self.count {
            let image = self.picture(k, settings, since)?;
            let Some(input) = ffmpeg.stdin.as_mut() else { break };
            input.write_all(&image.rgb).map_err(|error| format!("ffmpeg: {error}"))?;
        }
        Ok(())
    }
}

/// The name of a video until it is whole; its ending tells ffmpeg the format.
fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".partial-{name}"))
}
