import { useEffect, useRef, useState } from "react";
import { useParams } from "@tanstack/react-router";
import { useThreadList } from "#web/data/threads.ts";
import { Button } from "#web/ui/button.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { t } from "#web/words/words.ts";
import { groupThreads } from "./groups.ts";
import { ThreadRow } from "./thread-row.tsx";
import { useToday } from "./today.ts";
import styles from "./thread-list.module.css";

/** The threads, by day; more come as one scrolls. Arrow keys move through them as through one list. */
export function ThreadList({ onOpen }: { onOpen(): void }) {
  const list = useThreadList("regular");
  const { threadId } = useParams({ strict: false });
  const now = useToday();
  const [stop, setStop] = useState<string>();
  const groups = groupThreads(list.threads, now);
  const ids = groups.flatMap((group) => group.threads.map((thread) => thread.id));
  const stopId = [stop, threadId].find((id) => id !== undefined && ids.includes(id)) ?? ids[0];

  if (list.state === "loading") return <LoadingList />;
  if (list.state === "failed" && list.threads.length === 0) {
    return (
      <div role="alert" className={styles["notice"]}>
        <p>{list.failure?.message ?? t("failure.title")}</p>
        <Button onClick={list.retry}>{t("failure.retry")}</Button>
      </div>
    );
  }
  if (list.threads.length === 0) return <p className={styles["notice"]}>{t("sidebar.empty")}</p>;
  return (
    // The rows are what is focused; their group hears of it, so that the list need not listen in each.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={t("app.navigation")}
      className={styles["list"]}
      onFocus={(event) => setStop(event.target.getAttribute("data-row") ?? stop)}
      onKeyDown={moveByArrows}
    >
      {groups.map(({ name, threads }) => (
        <section key={name} aria-labelledby={`group-${name}`} className={styles["group"]}>
          <h2 id={`group-${name}`} className={styles["name"]}>
            {t(`group.${name}`)}
          </h2>
          <ul className={styles["rows"]}>
            {threads.map((thread) => (
              <ThreadRow
                key={thread.id}
                thread={thread}
                isShown={thread.id === threadId}
                isStop={thread.id === stopId}
                onOpen={onOpen}
              />
            ))}
          </ul>
        </section>
      ))}
      <More list={list} />
    </div>
  );
}

function More({ list }: { list: ReturnType<typeof useThreadList> }) {
  const mark = useRef<HTMLDivElement>(null);
  const { hasMore, isLoadingMore, state } = list;
  const load = useRef(list.loadMore);
  load.current = list.loadMore;
  useEffect(() => {
    if (!hasMore || isLoadingMore || state === "failed" || mark.current === null) return undefined;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && load.current(), {
      rootMargin: "400px",
    });
    watch.observe(mark.current);
    return () => watch.disconnect();
  }, [hasMore, isLoadingMore, state]);
  if (!hasMore) return null;
  return (
    <div ref={mark} className={styles["more"]}>
      {state === "failed" ? (
        <Button onClick={list.retry}>{t("failure.retry")}</Button>
      ) : (
        isLoadingMore && <span>{t("sidebar.loadingMore")}</span>
      )}
    </div>
  );
}

function LoadingList() {
  return (
    <Skeleton label={t("sidebar.loading")}>
      <div className={styles["skeleton"]}>
        {[70, 88, 56, 78, 64, 84].map((width) => (
          <SkeletonLine key={width} width={width} />
        ))}
      </div>
    </Skeleton>
  );
}

function moveByArrows(event: React.KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event;
  if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(key) || !(target instanceof HTMLElement)) return;
  const rows = [...currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(target);
  if (at === -1) return;
  event.preventDefault();
  const to = key === "Home" ? 0 : key === "End" ? rows.length - 1 : at + (key === "ArrowDown" ? 1 : -1);
  rows[to]?.focus();
}
