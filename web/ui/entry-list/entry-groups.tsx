import type { ReactNode } from "react";
import type { LucideIcon } from "lucide-react";
import { Icon } from "../icon.tsx";
import styles from "./entry-groups.module.css";

/** `secondary`: what is shown at the end of the line. `keys`: the shortcut that does the same. */
export type Entry = {
  key: string;
  icon: LucideIcon;
  label: ReactNode;
  secondary?: ReactNode;
  keys?: string | undefined;
  /** `run` changes the typed text, so the list stays open. */
  isCompletion?: boolean;
  run(): void;
};
export type EntryGroup = { name: string; entries: readonly Entry[] };

/** The element id of an option, for `aria-activedescendant`. `index`: its place among the entries of all groups. */
export const optionId = (listId: string, index: number) => `${listId}-${index}`;

/** The options of a list box whose field keeps the focus and handles the keys. `active`: the index of the selected entry. */
export function EntryGroups({
  listId,
  groups,
  active,
  onPoint,
  onRun,
}: {
  listId: string;
  groups: readonly EntryGroup[];
  active: number;
  onPoint(entry: Entry): void;
  onRun(entry: Entry): void;
}) {
  let nextIndex = 0;
  return groups.map((group) => (
    <div key={group.name} role="group" aria-label={group.name} className={styles["group"]}>
      <div aria-hidden className={styles["name"]}>
        {group.name}
      </div>
      {group.entries.map((entry) => {
        const index = nextIndex++;
        return (
          <EntryOption
            key={entry.key}
            id={optionId(listId, index)}
            entry={entry}
            isActive={index === active}
            onPoint={() => onPoint(entry)}
            onRun={() => onRun(entry)}
          />
        );
      })}
    </div>
  ));
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
      <bdi className="grow shrink one-line">{label}</bdi>
      {secondary !== undefined && <bdi className={styles["secondary"]}>{secondary}</bdi>}
      {keys !== undefined && (
        <kbd aria-hidden dir="ltr">
          {keys}
        </kbd>
      )}
    </div>
  );
}
