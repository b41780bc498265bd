//! Writes a file of the workload: `file RECORDS VERSION OUT`.
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let model = flat::generate(args[1].parse().unwrap(), args[2].parse().unwrap());
    std::fs::write(&args[3], flat::hand::write(&model)).unwrap();
}
