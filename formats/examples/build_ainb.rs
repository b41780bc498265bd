//! Builds a graph of nodes from nothing, writes it, and reads it back.
//!
//!     cargo run -p formwork-formats --features ainb --example build_ainb -- Keeper.ainb

use std::error::Error;
use std::{env, fs};

use formwork_formats::ainb::{
    Child, Command, File, InputBool32, Link, LinkBool, LinkDefault, Node, NodeBody, NodeFlags,
    NodeIndex, NodeType, Output, OutputNumber, OutputWord, PropertyLabel, Query, Replacements,
    Source, SourceNode, Version,
};

fn main() -> Result<(), Box<dyn Error>> {
    let file = graph();
    let bytes = file.write()?;
    assert_eq!(File::read(&bytes)?, file);
    let path = env::args().nth(1).unwrap_or_else(|| "Keeper.ainb".to_owned());
    fs::write(&path, &bytes)?;
    println!("{path}: {} bytes", bytes.len());
    for (index, node) in file.nodes.iter().enumerate() {
        let children: Vec<_> = node.body.children.iter().map(|child| &*child.name).collect();
        println!("  {index}: {} {children:?}", node.name);
    }
    Ok(())
}

/// A keeper says one thing by day and another one by night.
pub fn graph() -> File<'static> {
    let [choice, is_day, greet, warn] = [0, 1, 2, 3].map(NodeIndex::at);
    let source = Source::Node(SourceNode { node: is_day, output: OutputNumber::default() });
    let input = InputBool32 { name: "Input".into(), source, ..Default::default() };
    let default = LinkDefault::Bool(LinkBool::default());
    let choose = Node {
        r#type: NodeType::BOOL_SELECTOR,
        flags: NodeFlags::default().with_root(true),
        body: NodeBody {
            bool_in: vec![input],
            links: vec![Link {
                node: Some(is_day),
                name: "Input".into(),
                default,
                spelling: Default::default(),
            }],
            children: vec![child("True", greet), child("False", warn)],
            ..Default::default()
        },
        queries: vec![Query { node: is_day, ..Default::default() }],
        ..node("", 1)
    };
    let result = OutputWord { name: "Result".into(), ..Default::default() };
    let ask = Node {
        flags: NodeFlags::default().with_query(true),
        body: NodeBody { bool_out: vec![Output { word: result }], ..Default::default() },
        ..node("QueryIsDay", 2)
    };
    let root = Command {
        name: "Root".into(),
        guid: guid(0).into(),
        root_node: choice,
        ..Default::default()
    };
    File {
        version: Version::V407,
        file_name: "Keeper".into(),
        category_name: "AI".into(),
        replacements: Some(Replacements::default()),
        commands: vec![root],
        nodes: vec![choose, ask, say("Come in!", 3), say("Who is there?", 4)],
        ..Default::default()
    }
}

fn node(name: &'static str, number: u8) -> Node<'static> {
    Node { name: name.into(), guid: guid(number).into(), ..Default::default() }
}

fn say(words: &'static str, number: u8) -> Node<'static> {
    let text = PropertyLabel { name: "Words".into(), value: words.into(), ..Default::default() };
    let body = NodeBody { strings: vec![text], ..Default::default() };
    Node { body, ..node("ExecuteSay", number) }
}

fn child(name: &'static str, node: NodeIndex) -> Child<'static> {
    Child { node: Some(node), name: name.into(), ..Default::default() }
}

/// Graphs give each node an identifier of its own.
fn guid(number: u8) -> Vec<u8> {
    let mut bytes = vec![0; 16];
    bytes[15] = number;
    bytes
}
