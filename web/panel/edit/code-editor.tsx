import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { flushSync } from "react-dom";
import { usePreference } from "#web/preferences/preferences.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { t } from "#web/i18n/translate.ts";
import type { Editor } from "./editor.ts";
import styles from "./edit.module.css";

const editorModule = createLazyModule(
  () => import("./editor.ts"),
  (module) => ({ createEditor: module.createEditor }),
);

type Props = {
  ref: RefObject<Editor | undefined>;
  text: string;
  language: string;
  label: string;
  onChange(text: string): void;
  onSave(): void;
};

/** A text field for code, which is loaded on first use. */
export function CodeEditor(props: Props) {
  const loaded = useLoaded(editorModule);
  const hasFailed = editorModule.use() === "failed";
  if (hasFailed) return <MissingPiece module={editorModule} />;
  if (loaded === undefined)
    return (
      <Skeleton label={t("panel.loading")}>
        <div className={styles["loading"]}>
          <SkeletonLine width={88} />
          <SkeletonLine width={64} />
        </div>
      </Skeleton>
    );
  return <LoadedEditor {...props} createEditor={loaded.createEditor} />;
}

function LoadedEditor({
  ref: editor,
  text,
  language,
  label,
  onChange,
  onSave,
  createEditor,
}: Props & { createEditor: typeof import("./editor.ts").createEditor }) {
  const [isWrapped] = usePreference("wrapCode");
  const host = useRef<HTMLDivElement>(null);
  /** What the editor has, so that its own changes are not given back to it. */
  const shown = useRef(text);
  const change = useEffectEvent((next: string) => {
    shown.current = next;
    // At once: a later render would give the editor a text that is older than what was typed since, and keys like that to
    // save would act on it.
    flushSync(() => onChange(next));
  });
  const save = useEffectEvent(() => onSave());
  const initial = useEffectEvent(() => ({ text, label, language, phrases: phrases() }));
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open", delegatesFocus: true });
    const start = initial();
    shown.current = start.text;
    const created = createEditor({
      ...start,
      root,
      isWrapped,
      description: t("panel.editHint"),
      onChange: change,
      onSave: save,
    });
    editor.current = created;
    return () => {
      editor.current = undefined;
      created.destroy();
    };
  }, [editor, createEditor, isWrapped, language]);
  useEffect(() => {
    if (text === shown.current) return;
    shown.current = text;
    editor.current?.setText(text);
  }, [editor, text]);
  useEffect(() => editor.current?.setLabel(label), [editor, label]);
  return (
    // Its keys, seen from outside of its shadow root, are not in a text field: Esc would close the panel, and what is typed
    // would go to the message field.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={host}
      className={styles["editor"]}
      onKeyDown={(event) => {
        if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
      }}
    />
  );
}

function phrases(): Record<string, string> {
  return {
    Find: t("editor.find"),
    Replace: t("editor.replaceWith"),
    next: t("editor.next"),
    previous: t("editor.previous"),
    all: t("editor.all"),
    "match case": t("editor.matchCase"),
    regexp: t("editor.pattern"),
    "by word": t("editor.byWord"),
    replace: t("editor.replace"),
    "replace all": t("editor.replaceAll"),
    close: t("action.close"),
    "current match": t("editor.currentMatch"),
    "replaced $ matches": t("editor.replaced", { number: "$" }),
    "replaced match on line $": t("editor.replacedOnLine", { number: "$" }),
    "on line": t("editor.onLine"),
    "Go to line": t("editor.goToLine"),
    go: t("editor.go"),
    "Control character": t("editor.control"),
    "Selection deleted": t("editor.deleted"),
  };
}
