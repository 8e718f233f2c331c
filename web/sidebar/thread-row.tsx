import { memo, useRef, useState } from "react";
import { Link } from "@tanstack/react-router";
import Hand from "lucide-react/icons/hand";
import type { Thread } from "#contract/endpoints/threads.ts";
import { Icon } from "#web/ui/icon.tsx";
import { Pulse } from "#web/ui/pulse.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import { CheckRow } from "#web/selection/check-row.tsx";
import type { RowSelection } from "#web/selection/use-selection.ts";
import { t } from "#web/i18n/translate.ts";
import { RenameField } from "./rename-field.tsx";
import { titleOf, useThreadCommands } from "./thread-actions.ts";
import { threadMenu } from "./thread-menu.ts";
import styles from "./thread-row.module.css";

/** A thread in the list. F2 or a double press renames it, Delete deletes it; the menu has the rest. */
export const ThreadRow = memo(function ThreadRow({
  thread,
  isShown,
  isStop,
  selection,
  onOpen,
}: {
  thread: Thread;
  isShown: boolean;
  /** The one row that the Tab key comes to; arrow keys move on from it. */
  isStop: boolean;
  selection: RowSelection;
  onOpen(): void;
}) {
  const [isRenaming, setRenaming] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const deeds = useThreadCommands();
  const title = titleOf(thread);
  const rename = () => setRenaming(true);

  if (selection.isActive) {
    return (
      <li className={styles["row"]} data-shown={isShown || undefined}>
        <CheckRow id={thread.id} selection={selection} tabIndex={isStop ? 0 : -1} className={styles["check"]}>
          <span dir="auto" className={styles["title"]} data-untitled={thread.title === null || undefined}>
            {title}
          </span>
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
            if (next !== undefined) deeds.rename(thread, next);
          }}
          giveBack={() => row.current?.querySelector<HTMLElement>("[data-row]")?.focus()}
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
        draggable={false}
        data-row={thread.id}
        tabIndex={isStop ? 0 : -1}
        aria-current={isShown ? "page" : undefined}
        className={styles["link"]}
        onClick={(event) => {
          // As everywhere: Ctrl and ⌘ open another tab, Shift takes a range.
          if (event.shiftKey && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            selection.toggle(thread.id, true);
          } else onOpen();
        }}
        onDoubleClick={rename}
        onKeyDown={(event) => {
          if (event.key === "F2") rename();
          else if (event.key === "Delete") {
            focusNeighbour(event.currentTarget);
            deeds.remove(thread);
          } else return;
          event.preventDefault();
        }}
      >
        <span dir="auto" className={styles["title"]} data-untitled={thread.title === null || undefined}>
          {title}
        </span>
        {thread.needs_action && (
          <span className={styles["waits"]}>
            <Icon of={Hand} size={15} />
            <span className="unseen">{t("thread.needsAction")}</span>
          </span>
        )}
        {thread.active_run_id !== null && !thread.needs_action && (
          <span className={styles["running"]}>
            <Pulse tone="waiting" />
            <span className="unseen">{t("thread.running")}</span>
          </span>
        )}
      </Link>
      <MenuButton
        label={t("thread.actions", { title })}
        tip={t("message.actions")}
        items={() => threadMenu(thread, deeds, rename, () => selection.start(thread.id))}
        className={styles["more"]}
        tabIndex={isStop ? 0 : -1}
      />
    </li>
  );
});

/** The row that the keyboard goes on from when this one is gone: the next, or the one before. */
function focusNeighbour(row: HTMLElement): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(row);
  (rows[at + 1] ?? rows[at - 1])?.focus();
}
