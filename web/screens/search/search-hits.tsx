import { type ReactNode, type Ref, useEffect, useRef, useState } from "react";
import { Link } from "@tanstack/react-router";
import Archive from "lucide-react/icons/archive";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import ListChecks from "lucide-react/icons/list-checks";
import Paperclip from "lucide-react/icons/paperclip";
import Trash from "lucide-react/icons/trash-2";
import { type ThreadLink, threadLinkSearch } from "#contract/thread-links.ts";
import type { SearchHit, SearchThread } from "#contract/endpoints/search.ts";
import { type ThreadResults, useSearch } from "#web/data/search/search.ts";
import { linkOfHit } from "#web/search/hit-location.ts";
import { Excerpt } from "#web/search/excerpt.tsx";
import { groupByThread } from "#web/search/threads-of-hits.ts";
import { useFocusPastRows } from "#web/selection/focus-past-rows.ts";
import { useBulkActions } from "#web/selection/bulk-actions.ts";
import { SelectableRow, RowList } from "#web/selection/row-list.tsx";
import { SelectionBar } from "#web/selection/selection-bar.tsx";
import { runAndStop, useSelection } from "#web/selection/use-selection.ts";
import { titleOf } from "#web/sidebar/row-actions.ts";
import { Button } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { printDay, t } from "#web/i18n/translate.ts";
import { MoreButton } from "../list-content.tsx";
import rows from "#web/selection/row-list.module.css";
import styles from "./search-screen.module.css";

/** The search results for `typed`. While selecting, it lists their threads, each once. */
export function Hits({ typed, found }: { typed: string; found: ThreadResults }) {
  const threads = groupByThread(found.results);
  const selection = useSelection(threads);
  useFocusPastRows(threads.length > 0);
  const bulkActions = useBulkActions(found.retry);
  if (!selection.isActive)
    return (
      <>
        {threads.length > 0 && (
          <div className={rows["head"]}>
            <div className={rows["headButtons"]}>
              <Button icon={ListChecks} data-starts-selection onClick={() => selection.start()}>
                {t("select.begin")}
              </Button>
            </div>
          </div>
        )}
        {/* Key events of the links bubble to the list: arrow keys move through the hits. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <ul className={styles["hits"]} data-stale={found.isStale || undefined} onKeyDown={moveByArrows}>
          {found.results.map((result) => (
            <li key={result.file?.file?.id ?? result.thread_id}>
              {result.file === null ? (
                <ThreadResult typed={typed} result={result} />
              ) : (
                <FileHit hit={result.file} />
              )}
            </li>
          ))}
        </ul>
      </>
    );
  const { selected } = selection;
  const unarchived = selected.filter((thread) => !thread.is_archived);
  return (
    <div className={styles["selection"]}>
      <SelectionBar
        selection={selection}
        actions={[
          selected.length > 0 && unarchived.length === 0
            ? {
                label: t("archive.restore"),
                icon: ArchiveRestore,
                run: runAndStop(selection, bulkActions.unarchive),
              }
            : {
                label: t("thread.archive"),
                icon: Archive,
                run: runAndStop(selection, () => bulkActions.archive(unarchived)),
              },
          {
            label: t("action.delete"),
            icon: Trash,
            tone: "danger",
            run: runAndStop(selection, bulkActions.remove),
          },
        ]}
      />
      <RowList selection={selection}>
        {threads.map((thread) => (
          <SelectableRow key={thread.id} id={thread.id} selection={selection} day={thread.created_at}>
            {titleOf(thread)}
          </SelectableRow>
        ))}
      </RowList>
    </div>
  );
}

function ThreadResult({ typed, result }: { typed: string; result: SearchThread }) {
  // Another query closes the list.
  const [openedFor, setOpenedFor] = useState<string>();
  const { hits, matches } = result;
  const isOpen = openedFor === typed;
  return (
    <>
      <HitLink place={{ threadId: result.thread_id }}>
        <span className={styles["place"]}>
          <span dir="auto" className={styles["thread"]}>
            {result.title === null ? titleOf(result) : <Excerpt pieces={result.marked_title} />}
          </span>
          <StateAndDay result={result} />
        </span>
        {result.tags.length > 0 && (
          <span className={styles["tags"]}>
            <span className="visually-hidden">{t("sort.tags")}: </span>
            {result.tags.map((tag) => (
              <bdi key={tag} className={styles["tag"]}>
                {tag}
              </bdi>
            ))}
          </span>
        )}
      </HitLink>
      {isOpen ? (
        <AllHits typed={typed} threadId={result.thread_id} first={hits} />
      ) : (
        hits.length > 0 && <MessageHits hits={hits} />
      )}
      {!isOpen && matches > hits.length && (
        <Button look="plain" data-hit onClick={() => setOpenedFor(typed)}>
          {t("search.moreInThread", { count: matches - hits.length })}
        </Button>
      )}
    </>
  );
}

/** Every message of the thread that matches, in pages; `first` until they are loaded. */
function AllHits({ typed, threadId, first }: { typed: string; threadId: string; first: SearchHit[] }) {
  const found = useSearch(typed, { kind: "message", threadId });
  const list = useRef<HTMLUListElement>(null);
  const isLoaded = found.hits.length > first.length;
  // The button that had the focus is gone.
  useEffect(() => {
    if (isLoaded && document.activeElement === document.body)
      list.current?.children[first.length]?.querySelector<HTMLElement>("[data-hit]")?.focus();
    // Only when the first page arrives.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isLoaded]);
  if (found.state === "failed")
    return (
      <Notice
        tone="danger"
        title={t("search.failed")}
        text={found.failure?.message}
        action={{ label: t("action.retry"), run: found.retry }}
      />
    );
  return (
    <>
      <MessageHits ref={list} hits={isLoaded ? found.hits : first} />
      <MoreButton list={found} />
    </>
  );
}

function MessageHits({ hits, ref }: { hits: SearchHit[]; ref?: Ref<HTMLUListElement> }) {
  return (
    <ul ref={ref} className={styles["messages"]}>
      {hits.map((hit) => (
        <li key={hit.message_id}>
          <HitLink place={linkOfHit(hit)}>
            <span className={styles["said"]}>
              <span className="ink-faint">
                {t(
                  hit.role !== "user"
                    ? "search.assistant"
                    : hit.shared_by === null
                      ? "search.you"
                      : "search.question",
                )}
              </span>{" "}
              <Excerpt pieces={hit.excerpt} />
            </span>
          </HitLink>
        </li>
      ))}
    </ul>
  );
}

function FileHit({ hit }: { hit: SearchHit }) {
  const { file, excerpt } = hit;
  if (file === null) return null;
  return (
    <HitLink place={linkOfHit(hit)}>
      <span className={styles["place"]}>
        <Icon of={Paperclip} size={15} />
        <span dir="auto" className={styles["thread"]}>
          <Excerpt pieces={file.marked_name} />
        </span>
        <StateAndDay result={hit} />
      </span>
      <span className={styles["said"]}>
        <span className="ink-faint">
          <bdi>{titleOf(hit)}</bdi>
          {file.page !== null && <> · {t("search.page", { page: file.page })}</>}
          {excerpt.length > 0 && ":"}
        </span>{" "}
        <Excerpt pieces={excerpt} />
      </span>
    </HitLink>
  );
}

function HitLink({ place: { threadId, ...place }, children }: { place: ThreadLink; children: ReactNode }) {
  return (
    <Link
      to="/t/$threadId"
      params={{ threadId }}
      search={threadLinkSearch(place)}
      data-hit
      className={styles["hit"]}
    >
      {children}
    </Link>
  );
}

function StateAndDay({ result }: { result: Pick<SearchHit, "is_archived" | "created_at" | "shared_by"> }) {
  return (
    <>
      {result.shared_by !== null && (
        <span dir="auto" className={styles["state"]}>
          {t("share.byName", { name: result.shared_by.name ?? t("share.somebody") })}
        </span>
      )}
      {result.is_archived && <span className={styles["state"]}>{t("search.archived")}</span>}
      <time dateTime={result.created_at}>{printDay(new Date(result.created_at))}</time>
    </>
  );
}

function moveByArrows(event: React.KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const hits = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-hit]")];
  const index = hits.indexOf(event.target as HTMLElement);
  if (index === -1) return;
  event.preventDefault();
  const to = hits[index + (event.key === "ArrowDown" ? 1 : -1)];
  if (to !== undefined) to.focus();
  else if (event.key === "ArrowUp") document.querySelector<HTMLElement>("form[role='search'] input")?.focus();
}
