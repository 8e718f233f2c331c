import { useEffect, useMemo, useState } from "react";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useAui } from "@assistant-ui/react";
import type { AssistantChoice } from "#web/data/outbox/outbox-entry.ts";
import { draftOf } from "#web/data/drafts/draft.ts";
import { useServices } from "#web/data/provider.tsx";
import { useThread } from "#web/data/threads/threads.ts";
import { useAssistantAndModel } from "#web/composer/use-assistant-and-model.ts";
import { Composer } from "#web/composer/composer.tsx";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { WithPanel } from "#web/panel/with-panel.tsx";
import { ThreadRuntime } from "#web/runtime/thread-runtime.tsx";
import { ConnectModel } from "#web/thread/connect-model.tsx";
import { CreateAccount } from "#web/thread/create-account.tsx";
import { ReadOnlyNote } from "#web/thread/people/read-only-note.tsx";
import { Greeting, Starters } from "#web/thread/greeting.tsx";
import { LazyTemporary } from "#web/thread/temporary/lazy-temporary.tsx";
import { folderList } from "#web/sidebar/folders/lazy-folder-list.ts";
import { ThreadView } from "#web/thread/thread-view.tsx";
import { composerField } from "#web/composer/focus-composer.ts";
import { isShortcutsKey } from "#web/sidebar/shortcuts.ts";
import { focusComposer } from "../composer/focus-composer.ts";
import { ThreadBar } from "./shell/thread-bar.tsx";
import { useTitle } from "./shell/title.ts";

/** `/` and `/t/:threadId`. One screen for both, so that a new chat becomes its thread without a remount. */
export function ChatScreen() {
  const { threadId } = useParams({ strict: false });
  const isTemporary = useSearch({ strict: false }).temporary === "true";
  const navigate = useNavigate();
  const [visit, setVisit] = useState<Visit>({ number: 0, threadId, isTemporary });
  const current = visitOf(visit, { threadId, isTemporary });
  if (current !== visit) setVisit(current);
  return (
    <Chat
      key={current.number}
      threadId={threadId}
      onThreadCreated={(id) => {
        setVisit((previous) => ({ ...previous, next: { threadId: id, isTemporary: false } }));
        // Replaces the empty chat in the history, so that going back skips it.
        void navigate({ to: "/t/$threadId", params: { threadId: id }, replace: true });
      }}
      onSwitch={(on) => setVisit((previous) => ({ ...previous, next: { threadId, isTemporary: on } }))}
    />
  );
}

/** `isTemporary`: a new chat that is temporary. */
type Shown = { threadId: string | undefined; isTemporary: boolean };

/**
 * A visit to one thread. A new chat and the thread that it creates are one visit, and so is a new chat that the switch makes
 * temporary: `next` is what it becomes.
 */
type Visit = Shown & { number: number; next?: Shown };

function visitOf(visit: Visit, shown: Shown): Visit {
  const isShown = ({ threadId, isTemporary }: Shown) =>
    threadId === shown.threadId && isTemporary === shown.isTemporary;
  if (isShown(visit)) return visit;
  const goesOn = visit.next !== undefined && isShown(visit.next);
  return { ...shown, number: goesOn ? visit.number : visit.number + 1 };
}

function Chat({
  threadId,
  onThreadCreated,
  onSwitch,
}: {
  threadId: string | undefined;
  onThreadCreated(id: string): void;
  onSwitch(on: boolean): void;
}) {
  const { thread } = useThread(threadId);
  const { drafts, uploads } = useServices();
  const navigate = useNavigate();
  const [hour] = useState(() => new Date().getHours());
  const { m: messageId, assistant: linked, folder, temporary } = useSearch({ strict: false });
  const isTemporary = temporary === "true" || (thread !== undefined && thread.temporary_until !== null);
  const selection = useAssistantAndModel(thread, threadId === undefined, linked);
  const [topic] = useState(() => threadId ?? "new");
  useTypeToCompose();
  useTitle(thread?.title ?? undefined, thread?.needs_action);
  return (
    <ThreadRuntime
      threadId={threadId}
      sharing={thread?.sharing}
      choice={useChoice(selection.sent, isTemporary, folder)}
      compared={selection.compared}
      onCompared={selection.compare}
      onThreadCreated={onThreadCreated}
    >
      <EscapeToStop />
      <LazyTemporary part="Watch" thread={thread} />
      <WithPanel threadId={threadId}>
        <ThreadBar thread={thread} onSwitch={onSwitch} />
        <ThreadView
          topic={topic}
          messageId={messageId}
          file={useLinkedFile(threadId)}
          composer={
            thread?.sharing?.access === "read" ? (
              <ReadOnlyNote owner={thread.sharing.owner_name} />
            ) : (
              <Composer isReply={threadId !== undefined} selection={selection} />
            )
          }
          greeting={<Greeting hour={hour} assistant={selection.assistant} />}
          starters={
            temporary === "true" ? (
              <LazyTemporary part="Note" />
            ) : (
              <>
                {folder !== undefined && <FolderNote id={folder} />}
                <Starters selection={selection} />
                <ConnectModel models={selection.models} />
                <CreateAccount />
              </>
            )
          }
          onNewChat={() => {
            // Takes along what was typed and attached in a thread that is gone.
            const [from, to] = [draftOf(threadId), draftOf(undefined)];
            const texts = [drafts.read(to), drafts.read(from)].filter((text) => text !== "");
            drafts.write(from, "");
            drafts.write(to, texts.join("\n\n"));
            uploads.move(from, to);
            void navigate({ to: "/" }).then(focusComposer);
          }}
        />
      </WithPanel>
    </ThreadRuntime>
  );
}

/** The same object until what it is made from changes. */
function useChoice(sent: AssistantChoice, temporary: boolean, folderId: string | undefined): AssistantChoice {
  return useMemo(() => {
    if (temporary) return { ...sent, temporary };
    return folderId === undefined ? sent : { ...sent, folderId };
  }, [sent, temporary, folderId]);
}

function FolderNote({ id }: { id: string }) {
  const loaded = folderList.use();
  useEffect(() => void folderList.load(), []);
  if (loaded === undefined || loaded === "failed") return null;
  return <loaded.NewInFolder id={id} />;
}

/** The file that the address links to. */
function useLinkedFile(threadId: string | undefined) {
  const { m, file } = useSearch({ strict: false });
  const navigate = useNavigate();
  if (threadId === undefined || m === undefined || file === undefined) return undefined;
  const show = (search: { m: string; file?: string }) =>
    void navigate({ to: "/t/$threadId", params: { threadId }, search, replace: true });
  return { id: file, onReopen: () => show({ m, file }), onClose: () => show({ m }) };
}

/** Esc stops the answer, unless another element handled the key. */
function EscapeToStop() {
  const aui = useAui();
  useWindowEvent("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open], [role='menu']:popover-open") !== null) return;
    // In a request card, stopping would remove the question that the person is answering.
    if (event.target instanceof Element && event.target.closest("[data-asks]") !== null) return;
    if (!aui.thread.getState().isRunning) return;
    event.preventDefault();
    aui.thread.cancelRun();
  });
  return null;
}

/** Elements that use the typed characters themselves. */
const typable = "input, textarea, select, [contenteditable], [role='menu'], [role='listbox']";
const covering = "dialog[open], [role='menu'], [inert] textarea[aria-describedby='composer-note']";

/** Typing anywhere on the page writes into the message field. */
function useTypeToCompose(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isTyping(event) || isShortcutsKey(event)) return;
      if (event.target instanceof Element && event.target.closest(typable) !== null) return;
      if (document.querySelector(covering) !== null) return;
      // The browser delivers the character to the element that has the focus after this event.
      composerField()?.focus({ preventScroll: true });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Whether the key types a character. Space scrolls the page and presses buttons. */
function isTyping({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || key === " ") return false;
  // Dead keys, and keys that an input method takes, begin a composition in the field.
  return /^.$/u.test(key) || key === "Dead" || key === "Process";
}
