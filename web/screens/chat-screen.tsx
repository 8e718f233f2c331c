import { useEffect, useState } from "react";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useAui } from "@assistant-ui/react";
import { useThread } from "#web/data/threads/threads.ts";
import { useAnswerer } from "#web/composer/answerer.ts";
import { Composer } from "#web/composer/composer.tsx";
import { ThreadRuntime } from "#web/runtime/thread-runtime.tsx";
import { Greeting, Starters } from "#web/thread/greeting.tsx";
import { ThreadView } from "#web/thread/thread-view.tsx";
import { focusComposer } from "../composer/focus-composer.ts";
import { ThreadBar } from "./shell/thread-bar.tsx";
import { useTitle } from "./shell/title.ts";

/** `/` and `/t/:threadId`: one screen, so that a new chat turns into its thread without anything being drawn anew. */
export function ChatScreen() {
  const { threadId } = useParams({ strict: false });
  const navigate = useNavigate();
  const [life, setLife] = useState<Life>({ number: 0, threadId, madeId: undefined });
  const shown = lifeOf(life, threadId);
  if (shown !== life) setLife(shown);
  return (
    <Chat
      key={shown.number}
      threadId={threadId}
      onThreadMade={(id) => {
        setLife((now) => ({ ...now, madeId: id }));
        // The empty chat leaves no step in the history: going back goes to what was before it.
        void navigate({ to: "/t/$threadId", params: { threadId: id }, replace: true });
      }}
    />
  );
}

/** One stay with one thread. A new chat and the thread that it made are the same stay. */
type Life = { number: number; threadId: string | undefined; madeId: string | undefined };

function lifeOf(life: Life, threadId: string | undefined): Life {
  if (threadId === life.threadId) return life;
  if (threadId !== undefined && threadId === life.madeId) return { ...life, threadId };
  return { number: life.number + 1, threadId, madeId: undefined };
}

function Chat({ threadId, onThreadMade }: { threadId: string | undefined; onThreadMade(id: string): void }) {
  const { thread } = useThread(threadId);
  const navigate = useNavigate();
  const [hour] = useState(() => new Date().getHours());
  const { m: messageId, file: fileId, assistant: linked } = useSearch({ strict: false });
  const answerer = useAnswerer(thread, threadId === undefined, linked);
  const [topic] = useState(() => threadId ?? "new");
  const closeFile = () =>
    void navigate({ to: ".", search: ({ m }) => (m === undefined ? {} : { m }), replace: true });
  useTitle(thread?.title ?? undefined, thread?.needs_action);
  return (
    <ThreadRuntime threadId={threadId} choice={answerer.sent} onThreadMade={onThreadMade}>
      <EscapeStops />
      <ThreadBar thread={thread} />
      <ThreadView
        topic={topic}
        messageId={messageId}
        file={fileId === undefined ? undefined : { id: fileId, onClose: closeFile }}
        composer={<Composer isReply={threadId !== undefined} answerer={answerer} />}
        greeting={<Greeting hour={hour} assistant={answerer.assistant} />}
        starters={<Starters assistant={answerer.assistant} />}
        onNewChat={() => void navigate({ to: "/" }).then(focusComposer)}
      />
    </ThreadRuntime>
  );
}

/** Esc stops the answer from anywhere on the screen, unless something nearer took it. */
function EscapeStops() {
  const aui = useAui();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      if (document.querySelector("dialog[open], [role='menu']:popover-open") !== null) return;
      // In what asks something it would take away the question that one is about to answer.
      if (event.target instanceof Element && event.target.closest("[data-asks]") !== null) return;
      if (!aui.thread.getState().isRunning) return;
      event.preventDefault();
      aui.thread.cancelRun();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [aui]);
  return null;
}
