import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { markdown } from "@codemirror/lang-markdown";
import { python } from "@codemirror/lang-python";
import { xml } from "@codemirror/lang-xml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export type EditorOptions = {
  /** In a shadow root the editor's styles are style sheets of scripts, which the page's policy allows. */
  root: ShadowRoot;
  text: string;
  /** The first word after the block's fence. */
  language: string;
  label: string;
  /** How the keyboard leaves it. */
  description: string;
  isWrapped: boolean;
  /** The words of its search, by the English ones. */
  phrases: Record<string, string>;
  onChange(text: string): void;
  onSave(): void;
};

export type Editor = {
  /** Replaces the text, which reports no change. */
  setText(text: string): void;
  setLabel(label: string): void;
  text(): string;
  selected(): string;
  focus(): void;
  destroy(): void;
};

export function createEditor(options: EditorOptions): Editor {
  const { root, text, onChange, onSave } = options;
  let isReplacing = false;
  const labelled = new Compartment();
  const attributes = (label: string) =>
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-description": options.description,
      dir: "ltr",
      // Accessibility checkers do not count contenteditable as focusable without a tabindex.
      tabindex: "0",
    });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        search({ top: true }),
        highlightSelectionMatches(),
        EditorState.phrases.of(options.phrases),
        keymap.of([
          { key: "Mod-s", run: save, preventDefault: true },
          { key: "Mod-Enter", run: save },
          ...searchKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          indentWithTab,
        ]),
        languageOf(options.language),
        syntaxHighlighting(colours),
        theme,
        options.isWrapped ? EditorView.lineWrapping : [],
        labelled.of(attributes(options.label)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isReplacing) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });

  function save(): boolean {
    onSave();
    return true;
  }

  return {
    setText(next) {
      isReplacing = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      isReplacing = false;
    },
    setLabel: (label) => view.dispatch({ effects: labelled.reconfigure(attributes(label)) }),
    text: () => view.state.doc.toString(),
    selected: () => view.state.sliceDoc(view.state.selection.main.from, view.state.selection.main.to),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

// No automatic end tags: a person who types them would have each one twice.
const htmlAsTyped = () => html({ autoCloseTags: false });
const xmlAsTyped = () => xml({ autoCloseTags: false });
const javascriptWith = (jsx: boolean, typescript: boolean) => () => javascript({ jsx, typescript });

const languages: Record<string, () => Extension> = {
  css,
  scss: css,
  less: css,
  html: htmlAsTyped,
  htm: htmlAsTyped,
  vue: htmlAsTyped,
  svg: xmlAsTyped,
  xml: xmlAsTyped,
  md: markdown,
  markdown,
  py: python,
  python,
  js: javascriptWith(false, false),
  javascript: javascriptWith(false, false),
  mjs: javascriptWith(false, false),
  json: javascriptWith(false, false),
  jsx: javascriptWith(true, false),
  ts: javascriptWith(false, true),
  typescript: javascriptWith(false, true),
  tsx: javascriptWith(true, true),
};

/** Others are edited without colours. */
function languageOf(language: string): Extension {
  const name = language.toLowerCase();
  return Object.hasOwn(languages, name) ? languages[name]!() : [];
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.tagName, tags.heading, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.regexp, tags.attributeValue], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.link, tags.url], color: "var(--code-literal)" },
  {
    tag: [tags.definition(tags.variableName), tags.typeName, tags.className, tags.attributeName],
    color: "var(--code-name)",
  },
  { tag: [tags.propertyName, tags.function(tags.variableName)], color: "var(--code-name)" },
  { tag: tags.meta, color: "var(--code-comment)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "600" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper-code)" },
  "&.cm-focused": { outline: "none" },
  // Above the line numbers, which would cover an outline of the editor.
  "&.cm-focused::after": {
    content: "''",
    position: "absolute",
    inset: "0",
    zIndex: "400",
    outline: "2px solid var(--accent)",
    outlineOffset: "-2px",
    pointerEvents: "none",
  },
  ".cm-scroller": {
    direction: "ltr",
    fontFamily: "var(--mono)",
    // At least 16 px on phones, which zoom into fields with smaller text.
    fontSize: "max(0.8395rem, var(--field-text))",
    lineHeight: "1.6",
    fontVariantLigatures: "none",
  },
  ".cm-content": { caretColor: "var(--accent)", paddingBlock: "var(--gap-3)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": {
    backgroundColor: "var(--paper-code)",
    color: "var(--ink-faint)",
    border: "0",
    paddingInlineStart: "var(--gap-2)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--marked)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--accent-soft)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--marked)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)" },
  ".cm-panels": { backgroundColor: "var(--paper-recessed)", color: "var(--ink)" },
  ".cm-panels.cm-panels-top": { borderBlockEnd: "1px solid var(--hairline)" },
  ".cm-panel.cm-search": {
    padding: "var(--gap-2) var(--gap-6) var(--gap-2) var(--gap-3)",
    fontFamily: "var(--sans)",
    fontSize: "var(--text-2)",
  },
  ".cm-panel.cm-search label": { display: "inline-flex", alignItems: "center", fontSize: "inherit" },
  ".cm-textfield": {
    minBlockSize: "1.75rem",
    paddingInline: "var(--gap-2)",
    border: "1px solid var(--edge)",
    borderRadius: "var(--round-1)",
    backgroundColor: "var(--paper-lifted)",
    color: "inherit",
    fontSize: "inherit",
  },
  ".cm-button": {
    minBlockSize: "1.75rem",
    border: "1px solid var(--edge)",
    borderRadius: "var(--round-1)",
    backgroundImage: "none",
    backgroundColor: "transparent",
    color: "inherit",
    fontFamily: "inherit",
    fontSize: "inherit",
  },
  ".cm-panel.cm-search [name=close]": {
    minInlineSize: "1.75rem",
    minBlockSize: "1.75rem",
    color: "inherit",
    fontSize: "var(--text-5)",
  },
});
