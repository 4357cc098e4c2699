//! Build script: passes linker arguments for the program on x86-64 Linux.

fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    // A position-independent program starts more slowly: the loader relocates every table of strings.
    if std::env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // Without this, the linker names a loader even for a static program, and an empty container image has none.
        let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
        if features.split(',').any(|feature| feature == "crt-static") {
            println!("cargo::rustc-link-arg-bins=-Wl,--no-dynamic-linker");
        }
    }
}
