import { type ReactNode, useRef, useState } from "react";
import { Link, useNavigate } from "@tanstack/react-router";
import Trash from "lucide-react/icons/trash-2";
import type { StoredFile } from "#contract/endpoints/files.ts";
import { useFileList, type FileSort } from "#web/data/files/file-list.ts";
import { fileAddress, sourceOf, thumbnailOf } from "#web/data/files/own-file.ts";
import { isImageType } from "#web/data/files/uploads/upload.ts";
import { FilePreviewButton } from "#web/parts/file/file-preview-button.tsx";
import { FileSummary } from "#web/parts/file/file-summary.tsx";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { useFocusPastRemoval } from "#web/selection/focus-past-removal.ts";
import { titleOf } from "#web/sidebar/row-actions.ts";
import { IconButton } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Menu } from "#web/ui/menu/menu.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { DownloadLink } from "#web/ui/download-link.tsx";
import { printBytes, printDay, printNumber, t } from "#web/i18n/translate.ts";
import { FindField } from "../find-field.tsx";
import { ListContent, LoadingRows, MoreButton } from "../list-content.tsx";
import { Page } from "../page.tsx";
import styles from "./files-screen.module.css";

/** `/files`: the files that the person has attached, with the threads that use them. */
export function FilesScreen() {
  const [typed, setTyped] = useState("");
  const [sort, setSort] = useState<FileSort>("newest");
  const query = useDebouncedValue(typed.trim());
  const library = useFileList(query, sort);
  return (
    <Page title={t("screen.files")}>
      <div className={styles["head"]}>
        <FindField label={t("library.find")} value={typed} onChange={setTyped} />
        <select
          className={styles["sort"]}
          aria-label={t("library.sort")}
          value={sort}
          onChange={(event) => setSort(event.currentTarget.value as FileSort)}
        >
          {sorts.map((value) => (
            <option key={value} value={value}>
              {t(`librarySort.${value}`)}
            </option>
          ))}
        </select>
      </div>
      <FileList library={library} query={query} isSearching={library.isStale || query !== typed.trim()} />
    </Page>
  );
}

const sorts: FileSort[] = ["newest", "name", "largest"];

type Library = ReturnType<typeof useFileList>;

function FileList({
  library,
  query,
  isSearching,
}: {
  library: Library;
  query: string;
  /** Whether the results are still those of an earlier query. */
  isSearching: boolean;
}) {
  const { confirm, dialog } = useConfirmation();
  const remove = ({ id, name, threads }: StoredFile) =>
    confirm({
      text: t(threads.length > 0 ? "library.askUsed" : "library.ask", { name }),
      label: t("action.delete"),
      async run() {
        await library.remove(id);
        return t("library.gone", { name });
      },
    });
  const isEmpty = library.files.length === 0;
  if (isEmpty && isSearching && library.state === "ready") return <LoadingRows label={t("search.loading")} />;
  return (
    <ListContent
      list={library}
      isEmpty={isEmpty}
      loadingLabel={t("library.loading")}
      failedTitle={t("library.failed")}
      empty={
        query === "" ? [t("library.empty"), t("library.emptyHint")] : [t("library.none", { typed: query })]
      }
    >
      <List isStale={library.isStale}>
        {library.files.map((file) => (
          <Row key={file.id} file={file} onRemove={() => remove(file)} />
        ))}
      </List>
      <More library={library} />
      <Used bytes={library.usedBytes} of={library.quotaBytes} />
      {dialog}
    </ListContent>
  );
}

function More({ library }: { library: Library }) {
  const { moreFailure, isLoadingMore, loadMore } = library;
  if (moreFailure === undefined || isLoadingMore) return <MoreButton list={library} />;
  return (
    <Notice
      tone="danger"
      title={t("library.moreFailed")}
      text={moreFailure.message}
      action={{ label: t("action.retry"), run: loadMore }}
    />
  );
}

function List({ isStale, children }: { isStale: boolean; children: ReactNode }) {
  const list = useRef<HTMLUListElement>(null);
  useFocusPastRemoval(list);
  return (
    <ul ref={list} className={styles["list"]} data-stale={isStale || undefined}>
      {children}
    </ul>
  );
}

function Row({ file, onRemove }: { file: StoredFile; onRemove(): void }) {
  const { name, type, threads } = file;
  const address = fileAddress(file);
  const picture = isImageType(type) ? sourceOf(address) : undefined;
  const thumbnail = file.thumbnail ? (thumbnailOf(address) ?? picture) : undefined;
  return (
    <li className={styles["row"]}>
      <FilePreviewButton address={address} name={name} type={type} picture={picture}>
        <FileSummary
          name={name}
          type={type}
          sources={thumbnail === undefined ? [] : [thumbnail]}
          details={
            <>
              {printBytes(file.size_bytes)} · {printDay(new Date(file.created_at))}
              {!file.is_sent && ` · ${t("library.unsent")}`}
            </>
          }
        />
      </FilePreviewButton>
      <UsedIn threads={threads} />
      <DownloadLink href={sourceOf(address, true)} name={name} />
      <IconButton
        icon={Trash}
        size={16}
        label={t("library.deleteNamed", { name })}
        data-tip={t("action.delete")}
        tone="danger"
        onClick={onRemove}
      />
    </li>
  );
}

/** The threads that use the file: the first one, and a menu of the others. */
function UsedIn({ threads }: Pick<StoredFile, "threads">) {
  const [first, ...others] = threads;
  const navigate = useNavigate();
  const label = t("library.threadsMore", { count: others.length });
  const items = () =>
    others.map((thread) => ({
      label: titleOf(thread),
      onSelect: () => void navigate({ to: "/t/$threadId", params: { threadId: thread.id } }),
    }));
  if (first === undefined) return null;
  return (
    <span className={styles["threads"]}>
      <Link
        to="/t/$threadId"
        params={{ threadId: first.id }}
        dir="auto"
        className={styles["thread"]}
        aria-label={t("library.thread", { title: titleOf(first) })}
      >
        {titleOf(first)}
      </Link>
      {others.length > 0 && (
        <Menu label={label} items={items}>
          <button type="button" className={styles["more"]} aria-label={label}>
            +{printNumber(others.length)}
          </button>
        </Menu>
      )}
    </span>
  );
}

/** The used storage, and the quota if there is one. */
function Used({ bytes, of }: { bytes: number; of: number | undefined }) {
  return (
    <div className={styles["used"]}>
      {of === undefined ? (
        t("library.used", { size: printBytes(bytes) })
      ) : (
        <>
          <label htmlFor="library-used">
            {t("library.usedOf", { size: printBytes(bytes), quota: printBytes(of) })}
          </label>
          <meter id="library-used" min={0} max={of} high={of * 0.9} value={bytes} />
        </>
      )}
    </div>
  );
}
