import { type ReactNode, useEffect, useRef, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronRight from "lucide-react/icons/chevron-right";
import Folder from "lucide-react/icons/folder";
import Pencil from "lucide-react/icons/pencil";
import SquarePen from "lucide-react/icons/square-pen";
import Trash from "lucide-react/icons/trash-2";
import type { Label } from "#contract/labels/endpoints.ts";
import { limits } from "#contract/limits.ts";
import { useLabels } from "#web/data/labels/labels.ts";
import { type useFolderThreads, useThreadActions } from "#web/data/threads/threads.ts";
import { setPreference, usePreference } from "#web/preferences/preferences.ts";
import { focusComposer } from "#web/composer/focus-composer.ts";
import { mapWithConcurrency } from "#web/lib/map-with-concurrency.ts";
import { showFailures } from "#web/selection/bulk-actions.ts";
import { useFocusPastRemoval } from "#web/selection/focus-past-removal.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import { draggedThreads } from "#web/ui/open-thread-dialog.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { RenameField } from "../rename-field.tsx";
import listStyles from "../thread-list.module.css";
import rowStyles from "../thread-row.module.css";
import styles from "./folder-list.module.css";

type FolderThreads = ReturnType<typeof useFolderThreads>;

/** The folders. One can be open: `list` has its threads, and `children` their rows. Nothing without folders. */
export function FolderList({
  list,
  onShow,
  onDrop,
  children,
}: {
  list: FolderThreads;
  /** Called with the open folder, or an empty text. */
  onShow(folderId: string): void;
  /** Called when these threads were dropped on a folder and are in it. */
  onDrop(threadIds: string[]): void;
  children: ReactNode;
}) {
  const labels = useLabels();
  const { confirm, dialog } = useConfirmation();
  const [hadFolders] = usePreference("hasFolders");
  const [openFolder, setOpenFolder] = usePreference("openFolder");
  const isKnown = labels.state === "ready";
  const hasFolders = labels.folders.length > 0;
  useEffect(() => {
    if (isKnown) setPreference("hasFolders", hasFolders);
  }, [isKnown, hasFolders]);
  const shownFolder = labels.folders.some(({ id }) => id === openFolder) ? openFolder : "";
  useEffect(() => onShow(shownFolder), [onShow, shownFolder]);
  if (hadFolders && labels.state === "failed") {
    return (
      <div role="alert" className={styles["note"]}>
        <p>{t("sort.failed")}</p>
        <Button onClick={labels.retry}>{t("action.retry")}</Button>
      </div>
    );
  }
  if (!hasFolders) return null;
  const remove = ({ id, name }: Label) =>
    confirm({
      text: t("sort.askRemove", { name }),
      label: t("sort.remove"),
      run: async () => {
        await labels.remove(id);
        if (openFolder === id) setOpenFolder("");
        return t("sort.removed", { name });
      },
    });
  return (
    <section aria-labelledby="group-folders" className={listStyles["group"]}>
      <h2 id="group-folders" className={listStyles["name"]}>
        {t("sort.folders")}
      </h2>
      <Groups>
        {labels.folders.map((folder) => (
          <FolderGroup
            key={folder.id}
            folder={folder}
            list={list}
            onRename={(name) => labels.save("folder", name, folder.id).catch(showFailure)}
            onRemove={() => remove(folder)}
            onDrop={onDrop}
          >
            {children}
          </FolderGroup>
        ))}
      </Groups>
      {dialog}
    </section>
  );
}

/** Keeps the focus when a folder is deleted: it moves to the next one, or the list of threads. */
function Groups({ children }: { children: ReactNode }) {
  const groups = useRef<HTMLDivElement>(null);
  useFocusPastRemoval(groups, threadListOf);
  return <div ref={groups}>{children}</div>;
}

const threadListOf = (groups: HTMLElement) => groups.closest<HTMLElement>("[role=group]");

function FolderGroup({
  folder: { id, name },
  list,
  onRename,
  onRemove,
  onDrop,
  children,
}: {
  folder: Label;
  list: FolderThreads;
  onRename(name: string): void;
  onRemove(): void;
  onDrop(threadIds: string[]): void;
  children: ReactNode;
}) {
  const [openFolder, setOpenFolder] = usePreference("openFolder");
  const [isRenaming, setRenaming] = useState(false);
  const [isTarget, setTarget] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const actions = useThreadActions();
  const head = useRef<HTMLButtonElement>(null);
  const isOpen = openFolder === id;
  const navigate = useNavigate();
  const newChat = () => {
    setOpenFolder(id);
    void navigate({ to: "/", search: { folder: id } }).then(focusComposer);
  };
  const drop = async (threadIds: string[]) => {
    const outcome = await mapWithConcurrency(
      threadIds,
      async (threadId) => await actions.sort(threadId, { folder_id: id }),
    );
    showFailures(outcome);
    if (outcome.done.length > 0) showToast(t("sort.moved", { name }));
    // Those that failed stay selected with the others, to be dragged again.
    if (outcome.failed.length === 0) onDrop(threadIds);
  };
  return (
    <div
      data-target={isTarget || undefined}
      className={styles["folder"]}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(draggedThreads)) return;
        event.preventDefault();
        setTarget(true);
      }}
      onDragLeave={() => setTarget(false)}
      onDrop={(event) => {
        setTarget(false);
        const threadIds = event.dataTransfer.getData(draggedThreads);
        if (threadIds === "") return;
        event.preventDefault();
        void drop(threadIds.split(" "));
      }}
    >
      <div className={rowStyles["row"]} onFocus={() => setFocus(true)} onBlur={() => setFocus(false)}>
        {isRenaming ? (
          <RenameField
            title={name}
            label={t("sort.folderName")}
            maxLength={limits.labelCharacters}
            onDone={(next) => {
              setRenaming(false);
              if (next !== undefined && next.trim() !== "" && next.trim() !== name) onRename(next.trim());
            }}
            restoreFocus={() => head.current?.focus()}
          />
        ) : (
          <>
            <button
              ref={head}
              id={`folder-${id}`}
              type="button"
              aria-expanded={isOpen}
              data-head
              className={`${rowStyles["link"]} ${styles["head"]}`}
              onClick={() => setOpenFolder(isOpen ? "" : id)}
            >
              <Icon of={isOpen ? ChevronDown : ChevronRight} size={15} />
              <Icon of={Folder} size={15} />
              <span dir="auto" className={rowStyles["title"]}>
                {name}
              </span>
            </button>
            <MenuButton
              label={t("sort.folderActions", { name })}
              tip={t("message.actions")}
              className={rowStyles["more"]}
              tabIndex={hasFocus ? 0 : -1}
              items={() => [
                { label: t("sort.newChat"), icon: SquarePen, onSelect: newChat },
                { label: t("thread.rename"), icon: Pencil, onSelect: () => setRenaming(true) },
                { label: t("sort.remove"), icon: Trash, tone: "danger", onSelect: onRemove },
              ]}
            />
          </>
        )}
      </div>
      {isOpen && (
        <>
          <ul className={`${listStyles["rows"]} ${styles["rows"]}`}>{children}</ul>
          <FolderEnd list={list} />
        </>
      )}
    </div>
  );
}

function FolderEnd({ list }: { list: FolderThreads }) {
  if (list.state === "loading") return <p className={styles["note"]}>{t("sidebar.loading")}</p>;
  if (list.state === "failed") {
    return (
      <div className={styles["note"]}>
        <Button onClick={list.retry}>{t("action.retry")}</Button>
      </div>
    );
  }
  if (list.hasMore) {
    return (
      <div className={styles["note"]}>
        <Button look="plain" disabled={list.isLoadingMore} onClick={list.loadMore}>
          {t(list.isLoadingMore ? "sidebar.loadingMore" : "palette.more")}
        </Button>
      </div>
    );
  }
  return list.threads.length === 0 ? <p className={styles["note"]}>{t("sort.empty")}</p> : null;
}
