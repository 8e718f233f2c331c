import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import ArrowDown from "lucide-react/icons/arrow-down";
import type { Failure } from "#web/data/failure.ts";
import { loadRenderer, useIsRendererPending } from "#web/markdown/lazy-markdown.ts";
import { useIsRunning, useOpenThread } from "#web/runtime/open-thread.ts";
import { Icon } from "#web/ui/icon.tsx";
import { touchOnly, useMediaQuery } from "#web/lib/use-media-query.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { Notice } from "#web/ui/notice.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { isMotionReduced } from "#web/lib/motion.ts";
import { t } from "#web/i18n/translate.ts";
import { fileIdOf, sourceOf } from "#web/data/files/own-file.ts";
import { isImageType } from "#web/data/files/uploads/upload.ts";
import { OpenedFile } from "#web/parts/file/opened-file.tsx";
import { Announcer } from "./announcer.tsx";
import { useAutoScroll } from "./list/auto-scroll.ts";
import { useHighlightedMessage } from "./list/highlighted-message.ts";
import { Messages } from "./list/messages.tsx";
import { NearnessContext, useNearness } from "./list/near-viewport.ts";
import { Queue } from "./queue/queue.tsx";
import { TypingLine } from "./people/typing-line.tsx";
import { readingTools, useReadingTools } from "./reading-tools/lazy-reading-tools.ts";
import { ConnectBelowAnswer } from "./connect-model.tsx";
import { SuggestedQuestions } from "./suggested-questions.tsx";
import styles from "./thread-view.module.css";

/**
 * A thread: its messages and the composer at the bottom. An empty thread shows `greeting` above the composer and
 * `starters` below it, in the middle of the page.
 */
export function ThreadView({
  topic,
  messageId,
  file,
  composer,
  greeting,
  starters,
  onNewChat,
}: {
  /** Identifies the content. A new topic is scrolled to its end. */
  topic: string;
  /** A message to scroll to. */
  messageId: string | undefined;
  /** A file of that message to open. */
  file: { id: string; onReopen(): void; onClose(): void } | undefined;
  composer: ReactNode;
  greeting: ReactNode;
  starters: ReactNode;
  onNewChat(): void;
}) {
  const { state, failure, retry, access, isComparing } = useOpenThread();
  const isRunning = useIsRunning();
  const isRendererPending = useIsRendererPending();
  const hasMessages = useAuiState((s) => s.thread.messages.length > 0);
  const isEmpty = !hasMessages && state === "empty";
  const tools = useReadingTools();
  useEffect(() => {
    if (!isEmpty) void loadRenderer().then(readingTools.load);
  }, [isEmpty]);
  const isLoading = state === "loading" || (hasMessages && isRendererPending);
  const follow = useAutoScroll(topic, isRunning, isEmpty);
  const watchNearness = useNearness(follow.scroller);
  const foot = useComposerAnimation(isEmpty);
  useFootHeight(foot, follow.content);
  const [foundId, setFound] = useState<string>();
  useHighlightedMessage(messageId, hasMessages && !isLoading, follow.content, follow.toMessage, setFound);

  const isTouch = useMediaQuery(touchOnly);
  const toEnd = () => {
    // The button disappears, so the field takes the focus, except on touch screens, where it would open the keyboard.
    const field = isTouch ? null : foot.current?.querySelector<HTMLElement>("textarea");
    (field ?? document.getElementById("main"))?.focus({ preventScroll: true });
    follow.toEnd();
  };

  return (
    <div
      ref={follow.scroller}
      className={styles["scroller"]}
      data-empty={isEmpty || undefined}
      data-comparing={isComparing || undefined}
    >
      <div className={styles["column"]}>
        <div
          ref={follow.content}
          className={styles["content"]}
          role="log"
          aria-live="off"
          aria-label={t("thread.messages")}
        >
          {isEmpty && greeting}
          {isLoading && <LoadingThread />}
          {state === "missing" && <MissingThread onNewChat={onNewChat} />}
          {state === "failed" && !hasMessages && <FailedThread failure={failure} retry={retry} />}
          {hasMessages && !isLoading && (
            <NearnessContext value={watchNearness}>
              <Messages targetId={messageId} />
            </NearnessContext>
          )}
          {hasMessages && !isLoading && <SuggestedQuestions />}
          {hasMessages && !isLoading && <ConnectBelowAnswer />}
          {!isLoading && <Queue />}
        </div>
        <div ref={foot} className={styles["foot"]}>
          <TypingLine />
          {tools && <tools.ReadAloud />}
          {follow.isAway && <Latest lines={follow.newLines} onPress={toEnd} />}
          {state !== "missing" && composer}
        </div>
        {isEmpty && starters}
      </div>
      {tools && access !== "read" && <tools.QuoteSelection scroller={follow.scroller} />}
      <Announcer />
      {file !== undefined && messageId !== undefined && foundId === messageId && (
        <LinkedFile key={file.id} messageId={messageId} fileId={file.id} {...file} />
      )}
    </div>
  );
}

function Latest({ lines, onPress }: { lines: number; onPress(): void }) {
  const words = lines > 0 ? t("thread.latestLines", { count: lines }) : t("thread.latest");
  return (
    <button
      type="button"
      className={styles["latest"]}
      aria-label={t("thread.latestLabel", { words })}
      onClick={onPress}
    >
      <Icon of={ArrowDown} size={15} />
      {words}
    </button>
  );
}

function LoadingThread() {
  return (
    <Skeleton label={t("thread.loading")}>
      <div className={styles["skeletonPerson"]}>
        <SkeletonLine width={100} height="2.75rem" />
      </div>
      <div className={styles["skeletonAnswer"]}>
        <SkeletonLine width={96} />
        <SkeletonLine width={100} />
        <SkeletonLine width={91} />
        <SkeletonLine width={62} />
      </div>
      <div className={styles["skeletonAnswer"]}>
        <SkeletonLine width={99} />
        <SkeletonLine width={94} />
        <SkeletonLine width={38} />
      </div>
    </Skeleton>
  );
}

/** Takes the focus if the composer had it, in case the thread was deleted elsewhere. */
function MissingThread({ onNewChat }: { onNewChat(): void }) {
  useEffect(() => {
    if (document.activeElement === document.body)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, []);
  return (
    <Notice
      level="h1"
      title={t("thread.missingTitle")}
      text={t("thread.missing")}
      action={{ label: t("failure.newChat"), run: onNewChat }}
    />
  );
}

function FailedThread({ failure, retry }: { failure: Failure | undefined; retry(): void }) {
  return (
    <Notice
      tone="danger"
      title={t("thread.failedTitle")}
      text={failure?.message}
      note={failure?.requestId === undefined ? undefined : t("failure.request", { id: failure.requestId })}
      action={{ label: t("action.retry"), run: retry }}
    />
  );
}

/** Animates the composer from the middle of the page to the bottom when the first message is sent. */
function useComposerAnimation(isEmpty: boolean) {
  const foot = useRef<HTMLDivElement>(null);
  const before = useRef<number>(undefined);
  const wasEmpty = useRef(isEmpty);
  useLayoutEffect(() => {
    const element = foot.current;
    // Measuring costs the browser another layout, so it is done only when the composer may move.
    if (element === null || !(isEmpty || wasEmpty.current)) return;
    const { top } = element.getBoundingClientRect();
    const moved = (before.current ?? top) - top;
    if (wasEmpty.current && !isEmpty && moved !== 0 && !isMotionReduced()) {
      element.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], {
        duration: 200,
        easing: "cubic-bezier(0.2, 0.7, 0.3, 1)",
      });
    }
    wasEmpty.current = isEmpty;
    before.current = top;
  });
  return foot;
}

/**
 * Sets the height of the composer as a CSS variable, so that elements that Tab focuses are not hidden behind it. Only then,
 * because the variable styles every control of the thread, and each sent message changes the height.
 */
function useFootHeight(foot: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>): void {
  useWindowEvent(
    "keydown",
    ({ key }) => {
      if (key === "Tab") content.current?.style.setProperty("--foot", `${foot.current?.offsetHeight ?? 0}px`);
    },
    { capture: true },
  );
}

/** The preview of the file that the address links to; nothing if the message does not have it. */
function LinkedFile({
  messageId,
  fileId,
  onReopen,
  onClose,
}: {
  messageId: string;
  fileId: string;
  onReopen(): void;
  onClose(): void;
}) {
  const file = useAuiState((s) =>
    s.thread.messages
      .find(({ id }) => id === messageId)
      ?.parts.find((part) => part.type === "file" && fileIdOf(part.data) === fileId),
  );
  if (file?.type !== "file") return null;
  const { data, mimeType, filename } = file;
  return (
    <OpenedFile
      address={data}
      name={filename ?? t(isImageType(mimeType) ? "fileKind.image" : "fileKind.other")}
      type={mimeType}
      picture={isImageType(mimeType) ? sourceOf(data) : undefined}
      reopen={onReopen}
      onClose={onClose}
    />
  );
}
