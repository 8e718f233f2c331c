import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { isTooLong, tooLongMessage } from "#web/search/too-long.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { EntryGroups, optionId, type Entry, type EntryGroup } from "#web/ui/entry-list/entry-groups.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./palette.module.css";

/** A dialog with a field and a list of entries, one of which Enter runs. */
export function EntryDialog({
  label,
  fieldLabel,
  typed,
  onType,
  groups,
  isPending,
  onClose,
}: {
  label: string;
  fieldLabel: string;
  typed: string;
  onType(text: string): void;
  groups: readonly EntryGroup[];
  /** The first entry is not known yet. */
  isPending: boolean;
  onClose(): void;
}) {
  // Selected with the arrow keys or the pointer; otherwise the first entry is active.
  const [selectedKey, setSelectedKey] = useState<string>();
  // Enter was pressed before the results for the typed text arrived.
  const [isEnterPending, setEnterPending] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const entries = groups.flatMap((group) => group.entries);
  const selectedIndex = entries.findIndex(({ key }) => key === selectedKey);
  const active = selectedIndex === -1 ? Math.min(0, entries.length - 1) : selectedIndex;

  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  });

  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    if (entry.isCompletion === true) setSelectedKey(undefined);
    else onClose();
    entry.run();
  };
  const runFirst = useEffectEvent(() => {
    setEnterPending(false);
    run(entries[0]);
  });
  useEffect(() => {
    if (isEnterPending && !isPending) runFirst();
  }, [isEnterPending, isPending]);

  const select = (key: string | undefined) => {
    setSelectedKey(key);
    setEnterPending(false);
  };
  const onKey = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = entries.length - 1;
    if (event.key === "ArrowDown") select(entries[active >= last ? 0 : active + 1]?.key);
    else if (event.key === "ArrowUp") select(entries[active <= 0 ? last : active - 1]?.key);
    else if (event.key === "Enter") {
      if (isPending && selectedIndex === -1) setEnterPending(true);
      else run(entries[active]);
    } else return;
    event.preventDefault();
  };
  return (
    <Dialog label={label} onClose={onClose}>
      <div className={styles["field"]}>
        <Icon of={Search} />
        <input
          // People open the dialog to type.
          autoFocus
          type="text"
          dir={typed === "" ? undefined : "auto"}
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={active >= 0 ? optionId(listId, active) : undefined}
          aria-label={fieldLabel}
          placeholder={fieldLabel}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            onType(event.currentTarget.value);
            setSelectedKey(undefined);
            setEnterPending(false);
          }}
          onKeyDown={onKey}
        />
        {/* Touch screens have no Esc key, and on a narrow page the dialog leaves no backdrop to press. */}
        <IconButton icon={X} label={t("action.close")} className={styles["close"]} onClick={onClose} />
      </div>
      <div ref={list} id={listId} role="listbox" aria-label={label} className={styles["list"]}>
        <EntryGroups
          listId={listId}
          groups={groups}
          active={active}
          onPoint={({ key }) => select(key)}
          onRun={run}
        />
        {entries.length === 0 && (
          <p className={styles["none"]}>{isTooLong(typed) ? tooLongMessage(typed) : t("palette.none")}</p>
        )}
      </div>
    </Dialog>
  );
}
