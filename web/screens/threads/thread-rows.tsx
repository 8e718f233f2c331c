import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import ListChecks from "lucide-react/icons/list-checks";
import Trash from "lucide-react/icons/trash-2";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { LoadedPages } from "#web/data/load-state.ts";
import { useFocusPastRows } from "#web/selection/focus-past-rows.ts";
import { SelectableRow, RowList } from "#web/selection/row-list.tsx";
import { SelectionBar } from "#web/selection/selection-bar.tsx";
import { runAndStop, useSelection } from "#web/selection/use-selection.ts";
import { titleOf } from "#web/sidebar/row-actions.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { printDay, t } from "#web/i18n/translate.ts";
import { MoreButton } from "../list-content.tsx";
import styles from "#web/selection/row-list.module.css";

type ThreadRowActions = {
  /** Whether the titles open their threads. */
  isLinked: boolean;
  /** The time that is shown as a day. */
  dayOf(thread: Thread): string;
  restore: { one(thread: Thread): void; many(threads: readonly Thread[]): void };
  remove: {
    label: string;
    /** The label of the button for one thread. */
    labelOf(title: string): string;
    one(thread: Thread): void;
    /** `stop` ends the selection. */
    many(threads: readonly Thread[], stop: () => void): void;
  };
};

/** Threads that can be restored or deleted, one at a time or selected together. */
export function ThreadRows({
  list,
  hint,
  headButton,
  ...actions
}: ThreadRowActions & {
  list: LoadedPages & { threads: Thread[] };
  hint?: string;
  /** A button for the whole list. */
  headButton?: ReactNode;
}) {
  const { dayOf, restore, remove } = actions;
  const selection = useSelection(list.threads);
  useFocusPastRows(list.threads.length > 0);
  return (
    <>
      {selection.isActive ? (
        <SelectionBar
          selection={selection}
          actions={[
            { label: t("archive.restore"), icon: ArchiveRestore, run: runAndStop(selection, restore.many) },
            {
              label: remove.label,
              icon: Trash,
              tone: "danger",
              run: () => remove.many(selection.selected, selection.stop),
            },
          ]}
        />
      ) : (
        <div className={styles["head"]}>
          {hint !== undefined && <p>{hint}</p>}
          <div className={styles["headButtons"]}>
            <Button icon={ListChecks} data-starts-selection onClick={() => selection.start()}>
              {t("select.begin")}
            </Button>
            {headButton}
          </div>
        </div>
      )}
      <RowList selection={selection}>
        {list.threads.map((thread) =>
          selection.isActive ? (
            <SelectableRow key={thread.id} id={thread.id} selection={selection} day={dayOf(thread)}>
              {titleOf(thread)}
            </SelectableRow>
          ) : (
            <ThreadRow key={thread.id} thread={thread} {...actions} />
          ),
        )}
      </RowList>
      <MoreButton list={list} />
    </>
  );
}

function ThreadRow({ thread, isLinked, dayOf, restore, remove }: ThreadRowActions & { thread: Thread }) {
  const title = titleOf(thread);
  const day = dayOf(thread);
  return (
    <li className={styles["row"]}>
      {isLinked ? (
        <Link to="/t/$threadId" params={{ threadId: thread.id }} dir="auto" className={styles["link"]}>
          {title}
        </Link>
      ) : (
        <span dir="auto" className={styles["link"]}>
          {title}
        </span>
      )}
      <time dateTime={day} className={styles["day"]}>
        {printDay(new Date(day))}
      </time>
      <IconButton
        icon={ArchiveRestore}
        label={t("archive.restoreThis", { title })}
        data-tip={t("archive.restore")}
        onClick={() => restore.one(thread)}
      />
      <IconButton
        icon={Trash}
        label={remove.labelOf(title)}
        data-tip={remove.label}
        tone="danger"
        onClick={() => remove.one(thread)}
      />
    </li>
  );
}
