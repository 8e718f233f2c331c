import { memo, useRef, useState } from "react";
import { Link } from "@tanstack/react-router";
import Hand from "lucide-react/icons/hand";
import type { Thread } from "#contract/endpoints/threads.ts";
import { Icon } from "#web/ui/icon.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import { CheckRow } from "#web/selection/check-row.tsx";
import type { RowSelection } from "#web/selection/use-selection.ts";
import { t } from "#web/i18n/translate.ts";
import { draggedThreads } from "#web/ui/open-thread-dialog.ts";
import { RenameField } from "./rename-field.tsx";
import { titleOf, useThreadCommands } from "./row-actions.ts";
import { threadMenu } from "./thread-menu.ts";
import { RunningMark, ThreadTitle } from "./thread-title.tsx";
import styles from "./thread-row.module.css";

/** A thread in the list. F2 or a double click renames it, Delete deletes it; the menu has the other actions. */
export const ThreadRow = memo(function ThreadRow({
  thread,
  isShown,
  isTabStop,
  selection,
  onOpen,
}: {
  thread: Thread;
  isShown: boolean;
  /** Whether this is the tab stop of the list (roving tabindex). */
  isTabStop: boolean;
  selection: RowSelection;
  onOpen(): void;
}) {
  const [isRenaming, setRenaming] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const commands = useThreadCommands();
  const rename = () => setRenaming(true);
  const link = () => row.current?.querySelector<HTMLElement>("[data-row]");
  const afterFocus = (act: (gone: Thread) => void) => (gone: Thread) => {
    focusNeighbour(link());
    act(gone);
  };
  const leavingCommands = {
    ...commands,
    archive: afterFocus(commands.archive),
    remove: afterFocus(commands.remove),
  };

  if (selection.isActive) {
    return (
      // The keyboard moves threads with the bar.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
      <li
        className={styles["row"]}
        data-shown={isShown || undefined}
        draggable
        onDragStart={(event) => {
          const dragged = selection.has(thread.id) ? selection.selected : [thread];
          event.dataTransfer.setData(draggedThreads, dragged.map(({ id }) => id).join(" "));
        }}
      >
        <CheckRow
          id={thread.id}
          selection={selection}
          tabIndex={isTabStop ? 0 : -1}
          className={styles["check"]}
        >
          <ThreadTitle thread={thread} />
        </CheckRow>
      </li>
    );
  }
  if (isRenaming) {
    return (
      <li ref={row} className={styles["row"]} data-shown={isShown || undefined}>
        <RenameField
          title={thread.title ?? ""}
          onDone={(next) => {
            setRenaming(false);
            if (next !== undefined) commands.rename(thread, next);
          }}
          restoreFocus={() => link()?.focus()}
        />
      </li>
    );
  }
  return (
    <li ref={row} className={styles["row"]} data-shown={isShown || undefined}>
      <Link
        to="/t/$threadId"
        params={{ threadId: thread.id }}
        preload={false}
        data-row={thread.id}
        tabIndex={isTabStop ? 0 : -1}
        aria-current={isShown ? "page" : undefined}
        className={styles["link"]}
        onClick={(event) => {
          // Ctrl and ⌘ open a new tab, as everywhere. Shift selects a range.
          if (event.shiftKey && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            selection.toggle(thread.id, true);
          } else onOpen();
        }}
        onDragStart={(event) => event.dataTransfer.setData(draggedThreads, thread.id)}
        onDoubleClick={rename}
        onKeyDown={(event) => {
          if (event.key === "F2") rename();
          else if (event.key === "Delete") {
            leavingCommands.remove(thread);
          } else return;
          event.preventDefault();
        }}
      >
        <ThreadTitle thread={thread} />
        {thread.needs_action && (
          <span className="rigid waiting">
            <Icon of={Hand} size={15} />
            <span className="visually-hidden">{t("thread.needsAction")}</span>
          </span>
        )}
        {thread.active_run_id !== null && !thread.needs_action && <RunningMark />}
      </Link>
      <MenuButton
        label={t("thread.actions", { title: titleOf(thread) })}
        tip={t("message.actions")}
        items={() => threadMenu(thread, leavingCommands, rename, () => selection.start(thread.id))}
        className={styles["more"]}
        tabIndex={isTabStop ? 0 : -1}
      />
    </li>
  );
});

/** Moves the focus to the next row, or the previous one, before this row is removed. */
function focusNeighbour(row: Element | null | undefined): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const index = rows.findIndex((each) => each === row);
  (rows[index + 1] ?? rows[index - 1])?.focus();
}
