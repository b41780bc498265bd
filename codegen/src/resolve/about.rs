//! Remarks and examples: what they are about, and which layouts they are of.

use super::{Cx, RecordId, ScopeId, id32};
use crate::model::{EnumId, Example, Remark, RemarkKind, Said, Subject, VarintId};
use crate::span::Span;
use crate::syntax::ast::{About, ExampleDecl};

impl Cx<'_> {
    /// All of them, of the module first, in the order of the texts.
    pub(super) fn remarks_and_examples(&mut self) -> (Vec<Remark>, Vec<Example>) {
        let mut found = Vec::new();
        for scope in (0..self.scopes.len()).map(ScopeId) {
            let tree = self.scope(scope).tree;
            for about in tree.head.iter().flat_map(|head| &head.about) {
                found.push((scope, Subject::Module, about));
            }
            for (index, decl) in tree.decls.iter().enumerate() {
                let Some(subject) = self.subject(scope, index, decl.span) else { continue };
                found.extend(decl.about.iter().map(|about| (scope, subject, about)));
            }
        }
        for union in &self.unions {
            let scope = self.rec(union.holder).scope;
            for case in &union.cases {
                let subject = Subject::Record(case.record);
                found.extend(case.decl.about.iter().map(|about| (scope, subject, about)));
            }
        }
        let mut remarks = Vec::new();
        let head = self.scope(self.main).tree.head.as_ref();
        for (names, text, span) in head.iter().flat_map(|head| &head.kinds) {
            remarks.push(Remark {
                subject: Subject::Module,
                kind: RemarkKind::Extension,
                text: text.clone(),
                names: names.clone(),
                span: *span,
            });
        }
        let mut examples: Vec<Example> = Vec::new();
        for (scope, subject, about) in found {
            match about {
                // Several uses of one declaration have it only once.
                About::Remark(decl) if remarks.iter().any(|known| known.span == decl.span) => {}
                About::Remark(decl) => remarks.push(Remark {
                    subject,
                    kind: decl.kind,
                    text: decl.text.clone(),
                    names: Vec::new(),
                    span: decl.span,
                }),
                About::Example(decl) if examples.iter().any(|known| known.span == decl.span) => {}
                About::Example(decl) => examples.extend(self.example(scope, subject, decl)),
            }
        }
        (remarks, examples)
    }

    /// What a declaration became; nothing if no file has it.
    fn subject(&self, scope: ScopeId, index: usize, span: Span) -> Option<Subject> {
        if let Some(record) = self.by_decl.get(&(scope, index)).and_then(|list| list.first()) {
            return Some(Subject::Record(*record));
        }
        if let Some(id) = self.varint_ids.get(&(scope, index)) {
            return Some(Subject::Varint(VarintId(id.0)));
        }
        if let Some(id) = self.digits_ids.get(&(scope, index)) {
            return Some(Subject::Digits(*id));
        }
        if let Some(id) = self.enum_ids.get(&(scope, index)) {
            return Some(Subject::Enum(EnumId(id.0)));
        }
        let text = self.strings.iter().position(|string| string.span == span)?;
        Some(Subject::Text(id32(text)))
    }

    /// What an example is of: the use of the declaration that it names, or the first one.
    fn example_of(&mut self, subject: Subject, decl: &ExampleDecl) -> Option<Subject> {
        let Some(of) = &decl.of else { return Some(subject) };
        let names: Vec<(Subject, String)> = match subject {
            Subject::Record(id) => {
                let span = self.rec(id).span;
                let ids = (0..self.records.len()).map(|at| RecordId(id32(at)));
                let ids: Vec<RecordId> = ids.filter(|id| self.rec(*id).span == span).collect();
                ids.into_iter().map(|id| (Subject::Record(id), self.shown(id))).collect()
            }
            Subject::Text(at) => {
                let span = self.strings.get(at as usize).map(|string| string.span);
                let strings = (0_u32..).zip(&self.strings);
                let strings = strings.filter(|(_, string)| Some(string.span) == span);
                strings.map(|(at, string)| (Subject::Text(at), string.name.clone())).collect()
            }
            _ => Vec::new(),
        };
        let found = names.iter().find(|(_, name)| *name == of.value).map(|(found, _)| *found);
        if found.is_none() {
            let names: Vec<String> = names.iter().map(|(_, name)| format!("`{name}`")).collect();
            let d =
                self.d.error("E0238", of.span, format!("nothing here is called `{}`", of.value));
            if !names.is_empty() {
                d.help(format!("it is used as {}", names.join(", ")));
            }
        }
        found
    }

    fn example(&mut self, scope: ScopeId, subject: Subject, decl: &ExampleDecl) -> Option<Example> {
        let subject = self.example_of(subject, decl)?;
        let mut epochs = match subject {
            Subject::Record(id) => self.rec(id).exists.clone(),
            _ => vec![true; self.epoch_count()],
        };
        match (&decl.when, subject) {
            (None, _) => {}
            (Some(ex), Subject::Module) => {
                self.d
                    .error("E0238", ex.span, "a whole file says itself which layout it has")
                    .help("leave out `when=`");
                return None;
            }
            (Some(ex), Subject::Enum(_)) => {
                self.d.error("E0238", ex.span, "an enumeration has one layout");
                return None;
            }
            (Some(ex), _) => {
                let root = self.root.unwrap_or(RecordId(0));
                if !self.is_context(scope, root, &[], ex) {
                    self.d
                        .error("E0238", ex.span, "the `when=` of an example is about the epoch")
                        .help("the bytes say everything else");
                    return None;
                }
                let holds = self.holds(scope, None, ex);
                epochs.iter_mut().zip(holds).for_each(|(epoch, holds)| *epoch &= holds);
            }
        }
        if matches!(subject, Subject::Enum(_)) {
            self.d
                .error("E0238", decl.span, "an enumeration has no example of its own")
                .help("its members say what its numbers are");
            return None;
        }
        if !epochs.contains(&true) {
            self.d.error("E0238", decl.span, "no layout has what the example is of");
            return None;
        }
        let said = decl.says.iter().map(|said| Said {
            path: match said.path.value.as_str() {
                "this" => String::new(),
                path => path.to_owned(),
            },
            value: said.value.clone(),
            span: said.span,
        });
        Some(Example {
            subject,
            bytes: decl.bytes.clone(),
            doc: decl.doc.clone(),
            epochs,
            says: said.collect(),
            span: decl.span,
        })
    }
}
