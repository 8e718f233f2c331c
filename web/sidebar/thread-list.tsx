import { useEffect, useRef, useState } from "react";
import { useParams } from "@tanstack/react-router";
import type { Thread } from "#contract/endpoints/threads.ts";
import { labelsChanged } from "#web/data/labels/labels-changed.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { useFolderThreads, useSidebarThreads } from "#web/data/threads/threads.ts";
import { Button } from "#web/ui/button.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { moveByArrows } from "#web/selection/row-list.tsx";
import { useSelection } from "#web/selection/use-selection.ts";
import { t } from "#web/i18n/translate.ts";
import { now as readNow, useClockDifference } from "#web/data/session/service-clock.ts";
import { groupThreads, untilMidnightMs } from "./group-threads.ts";
import { SharedThreads } from "./shared-threads.tsx";
import { folderList } from "./folders/lazy-folder-list.ts";
import { listBar } from "./lazy-list-bar.ts";
import type { ListBarActions } from "./list-bar.tsx";
import { ThreadRow } from "./thread-row.tsx";
import { UnsentThreads } from "./unsent-threads.tsx";
import styles from "./thread-list.module.css";

/** The threads by day, with more loaded on scroll. Arrow keys move through all groups. */
export function ThreadList({ onOpen }: { onOpen(): void }) {
  const [openFolder] = usePreference("openFolder");
  const inFolder = useFolderThreads(openFolder);
  /** The open folder, once its rows are shown. */
  const [shownFolder, setShownFolder] = useState("");
  const folders = folderList.use();
  const [hadFolders] = usePreference("hasFolders");
  // If the folders cannot be shown, all threads are in the list.
  const hasFolders = hadFolders && folders !== "failed";
  const list = useSidebarThreads(hasFolders);
  const haveChanged = labelsChanged.use();
  const mayHaveFolders =
    hadFolders || haveChanged || list.threads.some((thread) => thread.folder_id !== null);
  // Without folders it is loaded later, because it needs the strings of other screens.
  useEffect(() => {
    if (mayHaveFolders) void folderList.load();
  }, [mayHaveFolders]);
  const { threadId } = useParams({ strict: false });
  const now = useToday();
  const [tabStop, setTabStop] = useState<string>();
  const groups = groupThreads(list.threads, now);
  const visibleThreads = [
    ...(shownFolder === openFolder ? inFolder.threads : []),
    ...groups.flatMap((group) => group.threads),
  ];
  const ids = visibleThreads.map((thread) => thread.id);
  const selection = useSelection(visibleThreads, threadId, "aside");
  const bar = listBar.use();
  const barActions = useRef<ListBarActions>(null);
  useEffect(() => {
    if (selection.isActive) void listBar.load();
  }, [selection.isActive]);
  const tabStopId = [tabStop, threadId].find((id) => id !== undefined && ids.includes(id)) ?? ids[0];

  if (list.state === "loading") return <LoadingList />;
  if (list.state === "failed" && list.threads.length === 0) {
    return (
      <div role="alert" className={styles["notice"]}>
        <p>{list.failure?.message ?? t("failure.title")}</p>
        <Button onClick={list.retry}>{t("action.retry")}</Button>
      </div>
    );
  }
  const rowsOf = (threads: Thread[]) =>
    threads.map((thread) => (
      <ThreadRow
        key={thread.id}
        thread={thread}
        isShown={thread.id === threadId}
        isTabStop={thread.id === tabStopId}
        selection={selection}
        onOpen={onOpen}
      />
    ));
  return (
    // The rows are focusable; their events bubble to the group.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={t("app.navigation")}
      tabIndex={-1}
      className={styles["list"]}
      // Before the selection begins: the bar moves the rows when it appears.
      onPointerEnter={() => void listBar.load()}
      onFocus={(event) => {
        void listBar.load();
        setTabStop(event.target.getAttribute("data-row") ?? tabStop);
      }}
      onKeyDown={(event) => {
        // Keys in the dialog that asks before a folder is deleted bubble to the list too.
        if (event.target instanceof Element && event.target.closest("dialog") !== null) return;
        if (selection.isActive && event.key === "Delete") barActions.current?.remove();
        else if (!selection.handleKey(event)) moveByArrows(event);
      }}
    >
      {selection.isActive && bar !== undefined && bar !== "failed" && (
        <bar.ListBar ref={barActions} selection={selection} />
      )}
      <UnsentThreads threadId={threadId} onOpen={onOpen} />
      <SharedThreads threadId={threadId} onOpen={onOpen} />
      {folders !== undefined && folders !== "failed" && (
        <folders.FolderList
          list={inFolder}
          onShow={setShownFolder}
          onDrop={(ids) => ids.some(selection.has) && selection.stop()}
        >
          {rowsOf(inFolder.threads)}
        </folders.FolderList>
      )}
      {visibleThreads.length === 0 && !list.hasMore && !hasFolders && (
        <p className={styles["notice"]}>{t("sidebar.empty")}</p>
      )}
      {groups.map(({ name, threads }) => (
        <section key={name} aria-labelledby={`group-${name}`} className={styles["group"]}>
          <h2 id={`group-${name}`} className={styles["name"]}>
            {t(`threadGroup.${name}`)}
          </h2>
          <ul className={styles["rows"]}>{rowsOf(threads)}</ul>
        </section>
      ))}
      <More list={list} />
    </div>
  );
}

function More({ list }: { list: ReturnType<typeof useSidebarThreads> }) {
  const marker = useRef<HTMLDivElement>(null);
  const { hasMore, isLoadingMore, moreAfterMs, state } = list;
  const load = useRef(list.loadMore);
  load.current = list.loadMore;
  useEffect(() => {
    if (!hasMore || isLoadingMore || state === "failed" || marker.current === null) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && load.current(), {
      rootMargin: "400px",
    });
    const end = marker.current;
    const timer = setTimeout(() => observer.observe(end), moreAfterMs);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [hasMore, isLoadingMore, moreAfterMs, state]);
  if (!hasMore) return null;
  return (
    <div ref={marker} className={styles["more"]}>
      {state === "failed" ? (
        <Button onClick={list.retry}>{t("action.retry")}</Button>
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

/** The current time. Updates at midnight, and when the page becomes visible on another day. */
function useToday(): Date {
  const [now, setNow] = useState(readNow);
  const difference = useClockDifference();
  useEffect(() => {
    const update = () => {
      const next = readNow();
      if (next.toDateString() !== now.toDateString()) setNow(next);
    };
    update();
    // One second late, because timers may fire early.
    const timer = setTimeout(update, untilMidnightMs(readNow()) + 1_000);
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, [now, difference]);
  return now;
}
