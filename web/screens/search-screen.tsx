import { type FormEvent, useEffect, useRef, useState } from "react";
import { Link, useNavigate, useSearch as useAddress } from "@tanstack/react-router";
import Paperclip from "lucide-react/icons/paperclip";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import type { SearchHit } from "#contract/search.ts";
import { type Searched, useSearch } from "#web/data/search.ts";
import { Excerpt } from "#web/search/excerpt.tsx";
import { useSettled } from "#web/search/settled.ts";
import { titleOf } from "#web/sidebar/thread-deeds.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { printDay, printList, t } from "#web/words/words.ts";
import { Page } from "./page.tsx";
import styles from "./search-screen.module.css";

/** 150 ms: between two keys of somebody who types on. */
const typingMs = 150;

/** `/search?q=`: titles, messages of all branches and attached files. What is typed stands in the address. */
export function SearchScreen() {
  const { q = "" } = useAddress({ from: "/search" });
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const wanted = useSettled(typed, typingMs);
  const found = useSearch(wanted);

  useEffect(() => {
    if (wanted !== q)
      void navigate({ to: "/search", search: wanted === "" ? {} : { q: wanted }, replace: true });
    // Only what is typed here leads: going back and forth is followed below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [wanted]);
  const followed = useRef(q);
  useEffect(() => {
    if (q !== followed.current && q !== wanted) setTyped(q);
    followed.current = q;
  }, [q, wanted]);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    document.querySelector<HTMLElement>("[data-hit]")?.focus();
  };
  return (
    <Page title={t("search.title")}>
      <form role="search" className={styles["form"]} onSubmit={submit}>
        <Icon of={Search} />
        <input
          ref={field}
          type="search"
          dir={typed === "" ? undefined : "auto"}
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          maxLength={1000}
          aria-label={t("search.label")}
          placeholder={t("search.placeholder")}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            document.querySelector<HTMLElement>("[data-hit]")?.focus();
          }}
        />
        {typed !== "" && (
          <IconButton
            icon={X}
            size={16}
            label={t("search.clear")}
            onClick={() => {
              setTyped("");
              field.current?.focus();
            }}
          />
        )}
      </form>
      <Found typed={wanted} found={found} />
    </Page>
  );
}

function Found({ typed, found }: { typed: string; found: Searched }) {
  if (typed.trim() === "") return <Hints />;
  if (found.state === "loading") return <Loading />;
  if (found.state === "failed" && found.hits.length === 0) {
    return (
      <Notice
        tone="loss"
        title={t("search.failed")}
        text={found.failure?.message}
        action={{ label: t("failure.retry"), run: found.retry }}
      />
    );
  }
  return (
    <>
      {found.ignored.length > 0 && (
        <p className={styles["ignored"]}>{t("search.ignored", { typed: printList(found.ignored) })}</p>
      )}
      <p role="status" className="unseen">
        {t(found.hasMore ? "search.countMore" : "search.count", { count: found.hits.length })}
      </p>
      {found.hits.length === 0 && !found.isStale && (
        <div className={styles["none"]}>
          <p>{t("search.none", { typed })}</p>
          <p>{t("search.noneHint")}</p>
        </div>
      )}
      {/* Arrow keys move through the hits as through one list. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className={styles["hits"]} data-stale={found.isStale || undefined} onKeyDown={moveByArrows}>
        {found.hits.map((hit) => (
          <Hit key={hit.file?.id ?? hit.message_id ?? hit.thread_id} hit={hit} />
        ))}
      </ul>
      {found.hasMore && (
        <Button disabled={found.isLoadingMore} onClick={found.loadMore}>
          {t(found.isLoadingMore ? "sidebar.loadingMore" : "archive.more")}
        </Button>
      )}
    </>
  );
}

function Hit({ hit }: { hit: SearchHit }) {
  return (
    <li>
      <Link
        to="/t/$threadId"
        params={{ threadId: hit.thread_id }}
        search={hit.message_id === null ? {} : { m: hit.message_id }}
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
              <Beside hit={hit} />
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

/** Who said it, or where in which thread the file is. */
function Beside({ hit }: { hit: SearchHit }) {
  if (hit.file === null) return t(hit.role === "user" ? "search.you" : "search.assistant");
  return (
    <>
      <bdi>{titleOf(hit)}</bdi>
      {hit.file.page !== null && <> · {t("search.page", { page: hit.file.page })}</>}
      {hit.excerpt.length > 0 && ":"}
    </>
  );
}

function Hints() {
  return (
    <dl className={styles["hints"]} aria-label={t("search.hints")}>
      {hints.map(([typed, means]) => (
        <div key={typed}>
          <dt>
            <kbd dir="auto">{t(typed)}</kbd>
          </dt>
          <dd>{t(means)}</dd>
        </div>
      ))}
    </dl>
  );
}

const hints = [
  ["search.hintPhrase", "search.hintPhraseMeans"],
  ["search.hintWithout", "search.hintWithoutMeans"],
  ["search.hintIn", "search.hintInMeans"],
  ["search.hintFiles", "search.hintFilesMeans"],
  ["search.hintAfter", "search.hintAfterMeans"],
  ["search.hintBefore", "search.hintBeforeMeans"],
  ["search.hintArchived", "search.hintArchivedMeans"],
] as const;

function Loading() {
  return (
    <Skeleton label={t("search.loading")}>
      <div className={styles["skeleton"]}>
        {[58, 92, 64, 85].map((width) => (
          <SkeletonLine key={width} width={width} />
        ))}
      </div>
    </Skeleton>
  );
}

function moveByArrows(event: React.KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const hits = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-hit]")];
  const at = hits.indexOf(event.target as HTMLElement);
  if (at === -1) return;
  event.preventDefault();
  const to = hits[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (to !== undefined) to.focus();
  else if (event.key === "ArrowUp") document.querySelector<HTMLElement>("form[role='search'] input")?.focus();
}
