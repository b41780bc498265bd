//! Texts that a schema imports, and the scopes that they become.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{Cx, Expr, Scope, ScopeId, ScopeParam, Shape};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::{SourceMap, Span, Spanned};
use crate::syntax::ast::{Argument, Decl, Import, Include, Tree};
use crate::syntax::builtin;
use crate::syntax::expr::ExKind;
use crate::syntax::near::nearest;
use crate::syntax::parse;
use crate::texts::read_schema;
use crate::{Loaded, Provider};

/// Most texts of one run.
const MAX_TEXTS: usize = 256;
/// Longest chain of imports with parameters.
const MAX_CHAIN: usize = 64;

/// A text and all that it imports, parsed.
pub(crate) struct Texts {
    /// The first is the text itself.
    pub trees: Vec<Tree>,
    /// For each tree the positions of its imports.
    pub links: Vec<HashMap<String, usize>>,
    /// Whether an import is missing, or has errors itself: what is unknown is not told apart from
    /// what it would have declared.
    pub lacking: bool,
}

/// Parses a text and all that it imports.
pub(crate) fn load(
    name: &str,
    text: &str,
    directory: Option<&Path>,
    provider: &dyn Provider,
    loaded: &mut Loaded,
) -> Option<Texts> {
    let Loaded { sources, diagnostics, files, missing, .. } = loaded;
    let source = sources.add(name, text);
    let mut trees = vec![parse(source, sources, diagnostics)?];
    let mut links: Vec<HashMap<String, usize>> = vec![HashMap::new()];
    let mut known: HashMap<String, Option<usize>> = HashMap::new();
    if let Some(head) = &trees[0].head {
        known.insert(head.name.value.clone(), Some(0));
    }
    let mut lacking = false;
    let mut at = 0;
    let mut count = 1;
    while at < trees.len() {
        let mut place = Place { directory, provider, files, missing, count: &mut count };
        lacking |= !place.include(&mut trees[at], sources, diagnostics);
        for import in trees[at].imports.clone() {
            let name = &import.name.value;
            if let Some(found) = known.get(name) {
                if let Some(index) = found {
                    links[at].insert(name.clone(), *index);
                }
                continue;
            }
            let index = place.parsed(&import.name, sources, diagnostics).map(|(tree, whole)| {
                lacking |= !whole;
                trees.push(tree);
                links.push(HashMap::new());
                trees.len() - 1
            });
            known.insert(name.clone(), index);
            lacking |= index.is_none();
            if let Some(index) = index {
                links[at].insert(name.clone(), index);
            }
        }
        at += 1;
    }
    Some(Texts { trees, links, lacking })
}

/// Where texts are looked for, and what came of it.
struct Place<'p> {
    directory: Option<&'p Path>,
    provider: &'p dyn Provider,
    files: &'p mut Vec<PathBuf>,
    missing: &'p mut Vec<PathBuf>,
    /// Number of texts so far.
    count: &'p mut usize,
}

/// A text that is imported or included.
struct Text {
    /// Its name in diagnostics.
    shown: String,
    text: String,
    /// Whether a link leads out of the folder of the schema.
    leads_out: bool,
}

impl Place<'_> {
    /// Puts the parts that a text includes in its place. Says whether all of them were there and whole.
    fn include(
        &mut self,
        tree: &mut Tree,
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let (mut whole, mut added) = (true, 0);
        let includes = std::mem::take(&mut tree.includes);
        for (index, Include { name, decls }) in includes.iter().enumerate() {
            if let Some(first) = includes[..index].iter().find(|i| i.name.value == name.value) {
                diagnostics
                    .error("E0203", name.span, format!("`{}` is included twice", name.value))
                    .label("again here")
                    .also(first.name.span, "first here");
                continue;
            }
            let part = self.parsed(name, sources, diagnostics);
            let part = part.filter(|(part, _)| is_part(part, name, tree, diagnostics));
            let Some((part, parsed)) = part else {
                whole = false;
                continue;
            };
            whole &= parsed;
            let at = decls + added;
            added += part.decls.len();
            tree.decls.splice(at..at, part.decls);
            tree.broken.extend(part.broken);
            tree.params.extend(part.params);
            tree.imports.extend(part.imports);
            tree.epochs.extend(part.epochs);
            tree.lets.extend(part.lets);
            tree.relocation.extend(part.relocation);
        }
        whole
    }

    /// Finds and parses a text. Says whether it has no errors.
    fn parsed(
        &mut self,
        name: &Spanned<String>,
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Tree, bool)> {
        let found = self.find(name, diagnostics)?;
        if *self.count >= MAX_TEXTS {
            diagnostics.error("E0202", name.span, "too many imports");
            return None;
        }
        *self.count += 1;
        let source = sources.add(found.shown.clone(), found.text);
        let mut own = Diagnostics::default();
        let tree = parse(source, sources, &mut own);
        // Diagnostics show lines, and those of a foreign file are nobody's business.
        let is_schema = |tree: &Tree| tree.head.is_some() || tree.part.is_some();
        if found.leads_out && !tree.as_ref().is_some_and(is_schema) {
            diagnostics
                .error("E0201", name.span, format!("`{}` is no schema", found.shown))
                .help("it is a link that leads out of the folder of the schema");
            return None;
        }
        let whole = !own.has_errors();
        diagnostics.append(own);
        Some((tree?, whole))
    }

    fn find(&mut self, name: &Spanned<String>, diagnostics: &mut Diagnostics) -> Option<Text> {
        let Spanned { value: name, span } = name;
        let path = self.directory.map(|directory| directory.join(format!("{name}.kdl")));
        if let Some(path) = path.as_ref().filter(|path| path.is_file()) {
            self.files.push(path.clone());
            return match read_schema(path) {
                Ok(text) => {
                    let shown = path.display().to_string();
                    Some(Text { shown, text, leads_out: leads_out(path, self.directory) })
                }
                Err(error) => {
                    let message = format!("`{}` can't be read: {error}", path.display());
                    diagnostics.error("E0201", *span, message);
                    None
                }
            };
        }
        if let Some(text) = self.provider.library(name) {
            self.missing.extend(path.map(missing_in_a_folder));
            return Some(Text { shown: format!("{name}.kdl"), text, leads_out: false });
        }
        let known = self.names_near(name);
        let d = diagnostics.error("E0201", *span, format!("no library `{name}`"));
        if let Some(near) = nearest(name, known.iter().map(String::as_str)) {
            d.label(format!("did you mean `{near}`?"));
        }
        match self.directory {
            Some(directory) => d.help(format!(
                "there is no `{name}.kdl` in `{}`, and no built-in library of this name",
                directory.display()
            )),
            None => d.help("there is no built-in library of this name"),
        };
        None
    }

    /// Names of schemas in the folder where one is looked for, and those of the provider, in a fixed order.
    fn names_near(&self, name: &str) -> Vec<String> {
        let folder = name.rfind('/').map_or("", |at| &name[..=at]);
        let files = self.directory.and_then(|directory| directory.join(folder).read_dir().ok());
        let files = files.into_iter().flatten().flatten().map(|entry| entry.path());
        let schemas = files.filter(|path| path.extension().is_some_and(|kind| kind == "kdl"));
        let stems =
            schemas.filter_map(|path| Some(format!("{folder}{}", path.file_stem()?.to_str()?)));
        let mut names: Vec<String> = stems.collect();
        names.sort();
        names.extend(self.provider.names());
        names
    }
}

/// A file that is missing, or the first folder on the way to it that is.
fn missing_in_a_folder(mut path: PathBuf) -> PathBuf {
    while let Some(parent) = path.parent().filter(|parent| !parent.is_dir()) {
        path = parent.to_owned();
    }
    path
}

/// Whether a text is a part of the one that includes it.
fn is_part(part: &Tree, name: &Spanned<String>, of: &Tree, diagnostics: &mut Diagnostics) -> bool {
    let expected = of.head.as_ref().map(|head| &head.name.value);
    let written = part.part.as_ref().map(|part| &part.value);
    let of = expected.map_or("NAME", String::as_str);
    let Spanned { value: name, span } = name;
    if written.is_none() || written != expected {
        diagnostics
            .error("E0239", *span, format!("`{name}` does not say that it is a part of `{of}`"))
            .help(format!("it begins with `part {of}`"));
        return false;
    }
    if let Some(include) = part.includes.first() {
        diagnostics
            .error("E0239", include.name.span, "a part includes no other parts")
            .help(format!("`{of}` itself includes all of them"));
        return false;
    }
    true
}

/// Whether a link on the way to a file leads out of a folder.
fn leads_out(path: &Path, folder: Option<&Path>) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let inside = real(path).zip(folder.and_then(real));
    inside.is_none_or(|(path, folder)| !path.starts_with(folder))
}

/// What a name leads to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Found<'t> {
    Decl(ScopeId, usize),
    Type(ScopeId, &'t crate::syntax::ast::TypeEx),
}

impl<'t> Cx<'t> {
    pub(super) fn scope_of_main(&mut self) -> ScopeId {
        self.main = self.new_scope(0, Vec::new(), 0);
        self.main
    }

    /// A scope for a tree; those without parameters are shared.
    fn new_scope(
        &mut self,
        index: usize,
        params: Vec<(&'t str, ScopeParam<'t>)>,
        chain: usize,
    ) -> ScopeId {
        if params.is_empty()
            && let Some(&scope) = self.shared.get(&index)
        {
            return scope;
        }
        let trees: &'t [Tree] = self.trees;
        let tree = &trees[index];
        let id = ScopeId(self.scopes.len());
        if params.is_empty() {
            self.shared.insert(index, id);
        }
        let mut decls = HashMap::new();
        for (at, decl) in tree.decls.iter().enumerate() {
            if let Some(first) = decls.insert(decl.name.value.as_str(), at) {
                let first: &Decl = &tree.decls[first];
                let name = &decl.name.value;
                self.d
                    .error("E0203", decl.name.span, format!("`{name}` is declared twice"))
                    .label("again here")
                    .also(first.name.span, "first here");
            }
        }
        self.scopes.push(Scope { tree, params, imports: Vec::new(), decls });
        for import in &tree.imports {
            let Some(&target) = self.links[index].get(&import.name.value) else { continue };
            if chain > MAX_CHAIN || self.scopes.len() > 1024 {
                self.d.error("E0202", import.span, "libraries import each other without end");
                return id;
            }
            let params = self.bind_library(id, import, target);
            let scope = self.new_scope(target, params, chain + 1);
            self.scopes[id.0].imports.push((&import.name.value, scope));
        }
        id
    }

    /// Values of a library's parameters.
    fn bind_library(
        &mut self,
        scope: ScopeId,
        import: &'t Import,
        target: usize,
    ) -> Vec<(&'t str, ScopeParam<'t>)> {
        let trees: &'t [Tree] = self.trees;
        let library = &trees[target];
        let mut bound = Vec::new();
        for (name, _) in &import.args {
            if !library.params.iter().any(|p| p.name.value == name.value) {
                let names = library.params.iter().map(|p| p.name.value.as_str());
                let near = nearest(&name.value, names).map(str::to_owned);
                let d = self.d.error(
                    "E0204",
                    name.span,
                    format!("`{}` has no parameter `{}`", import.name.value, name.value),
                );
                if let Some(near) = near {
                    d.label(format!("did you mean `{near}`?"));
                }
            }
        }
        for param in &library.params {
            let Some((_, value)) = import.args.iter().find(|(n, _)| n.value == param.name.value)
            else {
                self.d
                    .error(
                        "E0204",
                        import.span,
                        format!(
                            "`{}` needs its parameter `{}`",
                            import.name.value, param.name.value
                        ),
                    )
                    .also(param.name.span, "declared here")
                    .help(format!(
                        "write `import {} {{ {} VALUE }}`",
                        import.name.value, param.name.value
                    ));
                continue;
            };
            if let Some(value) =
                self.library_value(scope, &param.kind.value, param.kind.span, value)
            {
                bound.push((param.name.value.as_str(), value));
            }
        }
        bound
    }

    fn library_value(
        &mut self,
        scope: ScopeId,
        kind: &str,
        kind_span: Span,
        value: &'t Argument,
    ) -> Option<ScopeParam<'t>> {
        let constant = value.ex.as_ref().map(|ex| &ex.kind);
        let (found, what) = match kind {
            "type" => (value.ty.as_ref().map(|ty| ScopeParam::Type(scope, ty)), "a type"),
            "chars" => {
                let numeric = matches!(constant, Some(ExKind::Int(_) | ExKind::Bool(_)));
                let text = self.exprs.add(Expr::Text(value.text.clone()));
                ((!numeric).then_some(ScopeParam::Const(text, Shape::Text)), "a text")
            }
            "bool" => match constant {
                Some(ExKind::Bool(b)) => {
                    let truth = self.exprs.add(Expr::Bool(*b));
                    (Some(ScopeParam::Const(truth, Shape::Bool)), "a truth value")
                }
                _ => (None, "a truth value"),
            },
            _ if builtin::integer(kind).is_some() => match constant {
                Some(ExKind::Int(n)) => {
                    let number = self.exprs.add(Expr::Int(*n));
                    (Some(ScopeParam::Const(number, Shape::Int(None))), "an integer")
                }
                _ => (None, "an integer"),
            },
            _ => {
                self.d
                    .error("E0204", kind_span, format!("`{kind}` is no kind of parameter"))
                    .help("write `chars`, `bool`, `type` or an integer type such as `u32`");
                return None;
            }
        };
        if found.is_none() {
            self.d
                .error("E0204", value.span, format!("`{}` is not {what}", value.text))
                .also(kind_span, "declared here");
        }
        found
    }

    /// What a name means as a type, with dots for imports.
    pub(super) fn lookup(&self, scope: ScopeId, name: &str) -> Vec<Found<'t>> {
        let here = self.scope(scope);
        if let Some(&index) = here.decls.get(name) {
            return vec![Found::Decl(scope, index)];
        }
        if let Some((_, ScopeParam::Type(scope, ty))) = here.params.iter().find(|p| p.0 == name) {
            return vec![Found::Type(*scope, ty)];
        }
        if let Some((first, rest)) = name.split_once('.') {
            return match here.imports.iter().find(|i| i.0 == first) {
                Some(&(_, import)) => self.lookup(import, rest),
                None => Vec::new(),
            };
        }
        let mut found = Vec::new();
        for &(_, import) in &here.imports {
            if let Some(&index) = self.scope(import).decls.get(name) {
                found.push(Found::Decl(import, index));
            }
        }
        found
    }

    /// Like `lookup`, where only one meaning will do.
    pub(super) fn lookup_one(
        &mut self,
        scope: ScopeId,
        name: &str,
        span: Span,
    ) -> Option<Found<'t>> {
        let found = self.lookup(scope, name);
        if found.len() > 1 {
            let places: Vec<(Span, String)> = found
                .iter()
                .filter_map(|found| match found {
                    Found::Decl(scope, index) => {
                        Some((self.decl(*scope, *index).name.span, "one is here".to_owned()))
                    }
                    Found::Type(..) => None,
                })
                .collect();
            let d = self
                .d
                .error("E0205", span, format!("`{name}` is declared by several imports"))
                .help(format!("say which: `IMPORT.{name}`"));
            d.secondary = places;
            return None;
        }
        found.first().copied()
    }

    /// Whether what is declared by a name has an error of its own, beside which it is no news that
    /// others don't know it.
    pub(super) fn is_broken(&self, scope: ScopeId, name: &str) -> bool {
        let last = name.rsplit('.').next().unwrap_or(name);
        let mut scopes = self.scope(scope).imports.iter().map(|i| i.1).chain([scope]);
        scopes.any(|id| self.scope(id).tree.broken.iter().any(|broken| broken == last))
    }

    /// Says that nothing is declared by a name, and what is declared by a name that is like it; nothing
    /// if its declaration is broken.
    pub(super) fn undeclared(
        &mut self,
        scope: ScopeId,
        what: &str,
        name: &str,
        span: Span,
        known: &[&str],
    ) -> Option<&mut Diagnostic> {
        if self.is_broken(scope, name) {
            return None;
        }
        let names = self.type_names(scope);
        let known = names.iter().map(String::as_str).chain(known.iter().copied());
        let near = nearest(name, known).map(str::to_owned);
        let d = self.d.error("E0211", span, format!("unknown {what} `{name}`"));
        if let Some(near) = near {
            d.label(format!("did you mean `{near}`?"));
        }
        Some(d)
    }

    /// Names of types that can be used in a scope, for "did you mean".
    pub(super) fn type_names(&self, scope: ScopeId) -> Vec<String> {
        let here = self.scope(scope);
        let of = |tree: &'t Tree| {
            tree.decls.iter().map(|d| &d.name.value).chain(&tree.broken).map(String::as_str)
        };
        let mut names: Vec<String> = of(here.tree).map(str::to_owned).collect();
        for &(import, id) in &here.imports {
            for name in of(self.scope(id).tree) {
                names.push(name.to_owned());
                names.push(format!("{import}.{name}"));
            }
        }
        names.extend(here.params.iter().map(|p| p.0.to_owned()));
        names.sort();
        names
    }

    /// Rules for a scope as a whole.
    pub(super) fn check_scope(&mut self, main: ScopeId) {
        for scope in 0..self.scopes.len() {
            let tree = self.scopes[scope].tree;
            let Some(head) = &tree.head else {
                let span = Span { source: tree.source, start: 0, end: 0 };
                match &tree.part {
                    Some(part) => {
                        let of = &part.value;
                        self.d
                            .error("E0206", part.span, format!("this is only a part of `{of}`"))
                            .help(format!("use `{of}`, which includes it"))
                    }
                    None => self
                        .d
                        .error("E0206", span, "the schema says neither `module` nor `library`")
                        .help("begin with `module name \"Title\" root=File`"),
                };
                continue;
            };
            if ScopeId(scope) == main {
                continue;
            }
            if !tree.epochs.is_empty() && head.library {
                self.d
                    .error("E0207", tree.epochs[0].span, "a library can't declare an `epoch`")
                    .help("declare it in the module that imports the library");
            }
        }
    }
}
