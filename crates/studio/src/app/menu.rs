//! The menus, and the keys that do the same.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers, Ui};

use super::dialog::Purpose;
use super::{Showing, Studio};
use crate::templates::TEMPLATES;
use crate::worker::Command;

/// Something a menu or a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Open,
    Save,
    SaveAs,
    Undo,
    Redo,
    Play,
    Step,
    Stage,
    Frame,
    Reset,
    SeeAll,
    PreviousView,
    NextView,
    Screenshot,
    Theme,
    Quit,
}

const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };

/// Every action with its name and its key.
const ACTIONS: [(Action, &str, KeyboardShortcut); 16] = [
    (Action::Open, "Open…", KeyboardShortcut::new(CTRL, Key::O)),
    (Action::SaveAs, "Save as…", KeyboardShortcut::new(CTRL_SHIFT, Key::S)),
    (Action::Save, "Save", KeyboardShortcut::new(CTRL, Key::S)),
    (Action::Redo, "Redo", KeyboardShortcut::new(CTRL_SHIFT, Key::Z)),
    (Action::Undo, "Undo", KeyboardShortcut::new(CTRL, Key::Z)),
    (Action::Play, "Play or pause", KeyboardShortcut::new(Modifiers::NONE, Key::Space)),
    (Action::Step, "Step", KeyboardShortcut::new(Modifiers::NONE, Key::Period)),
    (Action::Stage, "Stage", KeyboardShortcut::new(Modifiers::NONE, Key::Comma)),
    (Action::Frame, "Next frame", KeyboardShortcut::new(CTRL, Key::Period)),
    (Action::Reset, "Reset", KeyboardShortcut::new(CTRL, Key::R)),
    (Action::SeeAll, "See everything", KeyboardShortcut::new(Modifiers::NONE, Key::F)),
    (Action::PreviousView, "Previous view", KeyboardShortcut::new(Modifiers::NONE, Key::OpenBracket)),
    (Action::NextView, "Next view", KeyboardShortcut::new(Modifiers::NONE, Key::CloseBracket)),
    (Action::Screenshot, "Screenshot", KeyboardShortcut::new(Modifiers::NONE, Key::F12)),
    (Action::Theme, "Dark or light", KeyboardShortcut::new(CTRL, Key::D)),
    (Action::Quit, "Quit", KeyboardShortcut::new(CTRL, Key::Q)),
];

impl Studio {
    /// Does what the keys say; plain keys only while no text is being typed.
    pub(super) fn shortcuts(&mut self, context: &egui::Context) {
        let types_text = context.egui_wants_keyboard_input();
        for (action, _, shortcut) in ACTIONS {
            let is_plain = shortcut.modifiers == Modifiers::NONE && shortcut.logical_key != Key::F12;
            if (is_plain && types_text) || !context.input_mut(|input| input.consume_shortcut(&shortcut)) {
                continue;
            }
            self.act(action);
        }
    }

    /// Does one thing.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Open => self.ask(Purpose::Open),
            Action::Save => self.save_scene(),
            Action::SaveAs => self.ask(Purpose::SaveAs),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Play => self.toggle_play(),
            Action::Step if self.showing == Showing::Caches => self.timeline.place += 1,
            Action::Step => self.worker.send(Command::Step),
            Action::Stage => {
                self.tab = crate::panels::Tab::Teaching;
                self.worker.send(Command::Stage);
            }
            Action::Frame => self.worker.send(Command::Frame),
            Action::Reset => self.reset(),
            Action::SeeAll => self.see_all(),
            Action::PreviousView => self.previous_view(),
            Action::NextView => self.next_view(),
            Action::Screenshot => self.take_screenshot(None),
            Action::Theme => self.is_dark = !self.is_dark,
            Action::Quit => self.context.send_viewport_cmd(egui::ViewportCommand::Close),
        }
    }

    pub(super) fn menu_bar(&mut self, ui: &mut Ui) {
        let theme = if self.is_dark { egui::Theme::Dark } else { egui::Theme::Light };
        if ui.ctx().theme() != theme {
            ui.ctx().set_theme(theme);
        }
        egui::Panel::top("menu").show(ui, |ui| {
            egui::MenuBar::new().ui(ui, |ui| {
                ui.menu_button("File", |ui| self.file_menu(ui));
                ui.menu_button("Edit", |ui| self.entries(ui, &[Action::Undo, Action::Redo]));
                ui.menu_button("Simulation", |ui| {
                    self.entries(
                        ui,
                        &[Action::Play, Action::Step, Action::Stage, Action::Frame, Action::Reset],
                    );
                });
                ui.menu_button("View", |ui| {
                    self.entries(ui, &[Action::SeeAll, Action::PreviousView, Action::NextView]);
                    self.entries(ui, &[Action::Screenshot, Action::Theme]);
                });
            });
        });
    }

    fn file_menu(&mut self, ui: &mut Ui) {
        ui.menu_button("New from template", |ui| {
            for template in &TEMPLATES {
                let button = self.gallery.templates.button(ui.ctx(), template.title);
                if ui.add(button).on_hover_text(template.meaning).clicked() {
                    self.new_scene(template.text);
                    ui.close();
                }
            }
        });
        self.entries(ui, &[Action::Open]);
        ui.menu_button("Recent", |ui| {
            for path in self.recent.clone() {
                if ui.button(path.display().to_string()).clicked() {
                    self.open(&path);
                    ui.close();
                }
            }
            if self.recent.is_empty() {
                ui.label("Nothing yet");
            }
        });
        self.entries(ui, &[Action::Save, Action::SaveAs]);
        if ui.button("Add run to compare…").clicked() {
            self.ask(Purpose::AddCache);
            ui.close();
        }
        self.entries(ui, &[Action::Quit]);
    }

    fn entries(&mut self, ui: &mut Ui, actions: &[Action]) {
        for wanted in actions {
            let Some((action, name, shortcut)) = ACTIONS.iter().find(|(action, _, _)| action == wanted)
            else {
                continue;
            };
            let [has_last_view, has_next_view] = self.views_around();
            let is_possible = match action {
                Action::Undo => self.can_undo(),
                Action::Redo => self.can_redo(),
                Action::PreviousView => has_last_view,
                Action::NextView => has_next_view,
                _ => true,
            };
            let button = egui::Button::new(*name).shortcut_text(ui.ctx().format_shortcut(shortcut));
            if ui.add_enabled(is_possible, button).clicked() {
                self.act(*action);
                ui.close();
            }
        }
    }
}
