//! The files of the console's page, embedded in the program.

pub struct Asset {
    /// Path below `/console/files/`.
    pub name: &'static str,
    pub bytes: &'static [u8],
}

impl Asset {
    pub fn content_type(&self) -> &'static str {
        match self.name.rsplit_once('.') {
            Some((_, "html")) => "text/html; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "md")) => "text/plain; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/javascript; charset=utf-8",
        }
    }
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        /// All files of the page, and the assumptions, which it cites. A test reports files that are missing here.
        pub const ASSETS: &[Asset] = &[
            Asset { name: "assumptions.md", bytes: include_bytes!("../../docs/assumptions.md") },
            $(Asset { name: $name, bytes: include_bytes!($name) }),*
        ];
    };
}

assets![
    "bar.js",
    "beginning.js",
    "connections.js",
    "control.js",
    "heard.js",
    "icon.svg",
    "index.html",
    "lib.js",
    "main.js",
    "names.js",
    "others.js",
    "outside.js",
    "part/common.js",
    "part/fidelity.js",
    "part/icons.js",
    "part/instant.js",
    "part/keys.js",
    "part/nearest.js",
    "part/presets.js",
    "part/qr.js",
    "part/rendered.js",
    "part/sideways.js",
    "part/timeline.js",
    "part/tree.js",
    "part/virtual.js",
    "part/why.js",
    "part/words.js",
    "part/worldtime.js",
    "record.js",
    "route.js",
    "session.js",
    "steering.js",
    "steps.js",
    "store.js",
    "story.js",
    "storytime.js",
    "style/base.css",
    "style/frame.css",
    "style/views.css",
    "telling.js",
    "vendor/preact.js",
    "view/act.js",
    "view/act/composer.js",
    "view/act/dialogs.js",
    "view/act/export.js",
    "view/act/later.js",
    "view/act/message.js",
    "view/act/pane.js",
    "view/act/place.js",
    "view/channels.js",
    "view/faults.js",
    "view/live.js",
    "view/live/details.js",
    "view/live/filter.js",
    "view/live/row.js",
    "view/networks.js",
    "view/people.js",
    "view/pushes.js",
    "view/report.js",
    "view/state.js",
    "view/worlds.js",
];
