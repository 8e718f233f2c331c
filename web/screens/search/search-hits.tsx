import { Link } from "@tanstack/react-router";
import Archive from "lucide-react/icons/archive";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import ListChecks from "lucide-react/icons/list-checks";
import Paperclip from "lucide-react/icons/paperclip";
import Trash from "lucide-react/icons/trash-2";
import { threadLinkSearch } from "#contract/thread-links.ts";
import type { SearchHit } from "#contract/endpoints/search.ts";
import type { SearchResults } from "#web/data/search/search.ts";
import { placeOf } from "#web/search/hit-location.ts";
import { Excerpt } from "#web/search/excerpt.tsx";
import { groupByThread } from "#web/search/threads-of-hits.ts";
import { useBulkActions } from "#web/selection/bulk-actions.ts";
import { SelectableRow, RowList } from "#web/selection/row-list.tsx";
import { SelectionBar } from "#web/selection/selection-bar.tsx";
import { runAndStop, useSelection } from "#web/selection/use-selection.ts";
import { titleOf } from "#web/sidebar/thread-actions.ts";
import { Button } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { printDay, t } from "#web/i18n/translate.ts";
import rows from "#web/selection/row-list.module.css";
import styles from "./search-screen.module.css";

/** The search results. While selecting, it lists their threads, each once. */
export function Hits({ found }: { found: SearchResults }) {
  const threads = groupByThread(found.hits);
  const selection = useSelection(threads);
  const bulkActions = useBulkActions(found.retry);
  if (!selection.isActive)
    return (
      <>
        {found.hits.length > 0 && (
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
          {found.hits.map((hit) => (
            <Hit key={hit.file?.id ?? hit.message_id ?? hit.thread_id} hit={hit} />
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
            tone: "loss",
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

function Hit({ hit }: { hit: SearchHit }) {
  return (
    <li>
      <Link
        to="/t/$threadId"
        params={{ threadId: hit.thread_id }}
        search={threadLinkSearch(placeOf(hit))}
        data-hit
        className={styles["hit"]}
      >
        <span className={styles["place"]}>
          {hit.file !== null && <Icon of={Paperclip} size={15} />}
          <span dir="auto" className={styles["thread"]}>
            <Heading hit={hit} />
          </span>
          {hit.is_archived && <span className={styles["archived"]}>{t("search.archived")}</span>}
          <time dateTime={hit.created_at}>{printDay(new Date(hit.created_at))}</time>
        </span>
        {hit.message_id !== null && (
          <span className={styles["said"]}>
            <span className={styles["who"]}>
              <HitContext hit={hit} />
            </span>{" "}
            <Excerpt pieces={hit.excerpt} />
          </span>
        )}
      </Link>
    </li>
  );
}

function Heading({ hit }: { hit: SearchHit }) {
  if (hit.file !== null) return <Excerpt pieces={hit.file.marked_name} />;
  return hit.message_id === null ? <Excerpt pieces={hit.excerpt} /> : titleOf(hit);
}

/** The author of the message, or the thread and page of the file. */
function HitContext({ hit }: { hit: SearchHit }) {
  if (hit.file === null) return t(hit.role === "user" ? "search.you" : "search.assistant");
  return (
    <>
      <bdi>{titleOf(hit)}</bdi>
      {hit.file.page !== null && <> · {t("search.page", { page: hit.file.page })}</>}
      {hit.excerpt.length > 0 && ":"}
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
