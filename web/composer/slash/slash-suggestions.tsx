import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { EntryGroups, optionId, type EntryGroup } from "#web/ui/entry-list/entry-groups.tsx";
import { t } from "#web/i18n/translate.ts";
import { composerField } from "../focus-composer.ts";
import { fitAbove } from "./fit-above.ts";
import styles from "./slash-menu.module.css";

/** A list of suggestions above the message field, which keeps the focus. Nothing if there are none. */
export function Suggestions({
  label,
  groups: all,
  onClose,
}: {
  label: string;
  groups: readonly EntryGroup[];
  onClose(): void;
}) {
  const [selectedKey, setSelectedKey] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const groups = all.filter(({ entries }) => entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  const active = Math.max(
    0,
    entries.findIndex(({ key }) => key === selectedKey),
  );
  const activeId = entries.length === 0 ? undefined : optionId(listId, active);
  useFieldLabels(listId, activeId);
  useLayoutEffect(() => fitAbove(list.current));
  useEffect(() => {
    if (active === 0) list.current?.scrollTo(0, 0);
    else list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  });

  useWindowEvent(
    "keydown",
    (event) => {
      // An input method uses the same keys. Safari ends a composition before its last key, which has the code 229.
      if (event.target !== composerField() && event.target !== list.current) return;
      if (event.isComposing || event.keyCode === 229) return;
      if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || entries.length === 0) return;
      const last = entries.length - 1;
      if (event.key === "ArrowDown") setSelectedKey(entries[active >= last ? 0 : active + 1]!.key);
      else if (event.key === "ArrowUp") setSelectedKey(entries[active <= 0 ? last : active - 1]!.key);
      else if (event.key === "Enter" || event.key === "Tab") entries[active]!.run();
      else if (event.key === "Escape") onClose();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );

  return (
    <>
      <p role="status" className="visually-hidden">
        {t("prompts.found", { count: entries.length })}
      </p>
      <div
        ref={list}
        id={listId}
        role="listbox"
        // It scrolls. The keys work in it as in the field.
        tabIndex={0}
        aria-label={label}
        hidden={entries.length === 0}
        className={styles["menu"]}
      >
        <EntryGroups
          listId={listId}
          groups={groups}
          active={active}
          onPoint={({ key }) => setSelectedKey(key)}
          onRun={({ run }) => run()}
        />
      </div>
    </>
  );
}

/** Tells assistive technology of the list while it is open. React does not know these attributes of the field. */
function useFieldLabels(listId: string, activeId: string | undefined): void {
  useEffect(() => {
    const field = composerField();
    if (field === null || activeId === undefined) return undefined;
    const attributes = {
      "aria-autocomplete": "list",
      "aria-controls": listId,
      "aria-activedescendant": activeId,
    };
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(attributes)) field.removeAttribute(name);
    };
  }, [listId, activeId]);
}
