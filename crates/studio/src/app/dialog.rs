//! A plain file dialog: a path to type, and the folder it is in to click.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::Studio;

/// What the chosen path is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Open,
    SaveAs,
    AddCache,
    ExportCharts,
}

impl Purpose {
    fn title(self) -> &'static str {
        match self {
            Self::Open => "Open a scene or a run",
            Self::SaveAs => "Save the scene as",
            Self::AddCache => "Add a run to compare",
            Self::ExportCharts => "Folder for the charts",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Open | Self::AddCache => "Open",
            Self::SaveAs => "Save",
            Self::ExportCharts => "Write",
        }
    }
}

/// A dialog that is open.
pub struct FileDialog {
    purpose: Purpose,
    path: String,
    listed: Option<(PathBuf, Vec<(String, bool)>)>,
}

/// Entries shown of one folder.
const MOST_ENTRIES: usize = 2000;

impl FileDialog {
    fn folder(&self) -> PathBuf {
        let path = Path::new(&self.path);
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
        if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() }
    }

    /// The entries of the folder, folders first; read anew only when the folder changes.
    fn entries(&mut self) -> Vec<(String, bool)> {
        let folder = self.folder();
        if self.listed.as_ref().is_none_or(|(known, _)| *known != folder) {
            let read = std::fs::read_dir(&folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
            let mut entries: Vec<(String, bool)> = read
                .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path().is_dir()))
                .filter(|(name, is_folder)| !name.starts_with('.') && (*is_folder || is_ours(name)))
                .collect();
            entries.sort_by_key(|(name, is_folder)| (!is_folder, name.clone()));
            self.listed = Some((folder, entries));
        }
        self.listed.as_ref().map(|(_, entries)| entries.clone()).unwrap_or_default()
    }
}

fn is_ours(name: &str) -> bool {
    let ours = [".toml", ".geo", ".obj", ".stl", ".ply", ".glb", ".gltf"];
    ours.iter().any(|extension| name.ends_with(extension))
}

impl Studio {
    /// Asks for a path.
    pub(crate) fn ask(&mut self, purpose: Purpose) {
        let folder = self.document.folder();
        let path = match purpose {
            Purpose::SaveAs => folder.join(self.document.name()).with_extension("toml"),
            Purpose::ExportCharts => folder.join("charts"),
            Purpose::Open | Purpose::AddCache => folder.join(""),
        };
        self.dialog = Some(FileDialog { purpose, path: path.to_string_lossy().into_owned(), listed: None });
    }

    pub(super) fn ask_save_as(&mut self) {
        self.ask(Purpose::SaveAs);
    }

    pub(super) fn show_dialog(&mut self, context: &egui::Context) {
        let Some(mut dialog) = self.dialog.take() else { return };
        let (mut is_done, mut is_open) = (false, true);
        let window = egui::Window::new(dialog.purpose.title()).collapsible(false).default_width(480.0);
        window.open(&mut is_open).show(context, |ui| {
            ui.horizontal(|ui| {
                let label = ui.label("Path");
                let edit = egui::TextEdit::singleline(&mut dialog.path).desired_width(f32::INFINITY);
                let response = ui.add(edit).labelled_by(label.id);
                is_done |= response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            });
            let folder = dialog.folder();
            let entries = dialog.entries();
            egui::ScrollArea::vertical().max_height(300.0).auto_shrink([false, true]).show(ui, |ui| {
                if let Some(above) = folder.parent().filter(|_| ui.button("..").clicked()) {
                    dialog.path = above.join("").to_string_lossy().into_owned();
                }
                for (name, is_folder) in entries {
                    let text = if is_folder { format!("{name}/") } else { name.clone() };
                    let row = ui.selectable_label(false, text);
                    if row.clicked() || row.double_clicked() {
                        let path = if is_folder { folder.join(&name).join("") } else { folder.join(&name) };
                        dialog.path = path.to_string_lossy().into_owned();
                    }
                    is_done |= row.double_clicked() && !is_folder;
                }
            });
            ui.horizontal(|ui| {
                is_done |= ui.button(dialog.purpose.verb()).clicked();
                if ui.button("Cancel").clicked() {
                    is_done = false;
                    dialog.path.clear();
                }
            });
        });
        if is_done && !dialog.path.is_empty() {
            let path = PathBuf::from(dialog.path.trim_end_matches(std::path::MAIN_SEPARATOR));
            self.answer(dialog.purpose, &path);
        } else if is_open && !dialog.path.is_empty() {
            self.dialog = Some(dialog);
        }
    }

    fn answer(&mut self, purpose: Purpose, path: &Path) {
        match purpose {
            Purpose::Open => self.open(path),
            Purpose::SaveAs => self.save_scene_as(path),
            Purpose::AddCache => self.add_cache(path),
            Purpose::ExportCharts => {
                let (history, path) = (self.charted().clone(), path.to_owned());
                self.report_in_background(move || match history.export(&path) {
                    Ok(()) => format!("wrote the charts to {}", path.display()),
                    Err(error) => format!("cannot write the charts: {error}"),
                });
            }
        }
    }
}

impl Studio {
    /// Asks for a scene or a run.
    pub(crate) fn ask_open(&mut self) {
        self.ask(Purpose::Open);
    }

    /// Asks for a run to compare.
    pub(crate) fn ask_add(&mut self) {
        self.ask(Purpose::AddCache);
    }

    /// Asks for a folder for the charts.
    pub(crate) fn ask_export(&mut self) {
        self.ask(Purpose::ExportCharts);
    }
}
