import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import type { LucideIcon } from "lucide-react";
import { isTooLong, tooLongMessage } from "#web/search/too-long.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./palette.module.css";

export type Entry = {
  key: string;
  icon: LucideIcon;
  label: ReactNode;
  secondary?: ReactNode;
  keys?: string | undefined;
  run(): void;
};
export type Group = { name: string; entries: Entry[] };

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
  groups: readonly Group[];
  /** The first entry is not known yet. */
  isPending: boolean;
  onClose(): void;
}) {
  // Selected with the arrow keys or the pointer; otherwise the first entry is active.
  const [selectedKey, setSelectedKey] = useState<string>();
  // Enter was pressed before the results for the typed text arrived.
  const [isEnterPending, setEnterPending] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const entries = groups.flatMap((group) => group.entries);
  const selectedIndex = entries.findIndex(({ key }) => key === selectedKey);
  const active = selectedIndex === -1 ? Math.min(0, entries.length - 1) : selectedIndex;

  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  });

  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const runFirst = useEffectEvent(() => {
    setEnterPending(false);
    run(entries[0]);
  });
  useEffect(() => {
    if (isEnterPending && !isPending) runFirst();
  }, [isEnterPending, isPending]);

  const select = (index: number) => {
    setSelectedKey(entries[index]?.key);
    setEnterPending(false);
  };
  const onKey = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = entries.length - 1;
    if (event.key === "ArrowDown") select(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") select(active <= 0 ? last : active - 1);
    else if (event.key === "Enter") {
      if (isPending && selectedIndex === -1) setEnterPending(true);
      else run(entries[active]);
    } else return;
    event.preventDefault();
  };
  let nextIndex = 0;
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
          aria-controls={`${id}-list`}
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
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
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={styles["list"]}>
        {groups.map((group) => (
          <div key={group.name} role="group" aria-label={group.name} className={styles["group"]}>
            <div aria-hidden className={styles["name"]}>
              {group.name}
            </div>
            {group.entries.map((entry) => {
              const index = nextIndex++;
              return (
                <EntryOption
                  key={entry.key}
                  id={`${id}-${index}`}
                  entry={entry}
                  isActive={index === active}
                  onPoint={() => select(index)}
                  onRun={() => run(entry)}
                />
              );
            })}
          </div>
        ))}
        {entries.length === 0 && (
          <p className={styles["none"]}>{isTooLong(typed) ? tooLongMessage(typed) : t("palette.none")}</p>
        )}
      </div>
    </Dialog>
  );
}

function EntryOption({
  id,
  entry: { icon, label, secondary, keys },
  isActive,
  onPoint,
  onRun,
}: {
  id: string;
  entry: Entry;
  isActive: boolean;
  onPoint(): void;
  onRun(): void;
}) {
  return (
    // The field keeps the focus and handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles["entry"]}
      onPointerMove={onPoint}
      onClick={onRun}
    >
      <Icon of={icon} size={16} />
      <span className={styles["label"]}>{label}</span>
      {secondary !== undefined && <span className={styles["secondary"]}>{secondary}</span>}
      {keys !== undefined && (
        <kbd aria-hidden dir="ltr">
          {keys}
        </kbd>
      )}
    </div>
  );
}
