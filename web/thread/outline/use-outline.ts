import { useContext, useState, useSyncExternalStore, useEffect } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useAuiState } from "@assistant-ui/react";
import { limits } from "#contract/limits.ts";
import { VisibleFactsContext } from "#web/data/threads/message-facts-context.ts";
import { panelSearch } from "#web/panel/panel-search.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { createQuestionList, type Question, type OutlineSection } from "./entries.ts";
import { goToHeading } from "./go-to-heading.ts";

/** The message that has other versions, and the ids of all of them, oldest first. */
export type Fork = { of: "question" | "answer"; id: string; siblings: readonly string[] };

/** The loaded part of the visible branch, and how to go to what it has. */
export function useOutline() {
  const navigate = useNavigate();
  const store = useContext(VisibleFactsContext);
  const facts = useSyncExternalStore(store.subscribe, store.get);
  const { m: named } = useSearch({ strict: false });
  const { threadId, hasEarlier, loadEarlier } = useOpenThread();
  const [questionsOf] = useState(createQuestionList);
  const questions = useAuiState((s) => questionsOf(s.thread.messages));
  const currentId = useCurrentMessage();
  const current =
    questions.find(({ id, answerId }) => id === currentId || answerId === currentId) ?? questions.at(-1);

  /** The list goes to the message that the address names, also if it is not rendered or on another branch. */
  async function show(id: string): Promise<void> {
    const name = async (m: string | undefined) =>
      await navigate({
        to: "/t/$threadId",
        params: { threadId },
        search: (before) => ({ ...panelSearch(before), ...(m === undefined ? {} : { m }) }),
        replace: true,
      });
    if (named === id) await name(undefined);
    await name(id);
  }

  return {
    threadId,
    questions,
    current,
    earlier: hasEarlier ? () => loadEarlier(limits.branchPage) : undefined,
    forksOf: ({ id, answerId }: Question): Fork[] =>
      [
        { of: "question" as const, id },
        { of: "answer" as const, id: answerId ?? "" },
      ].flatMap((message) => {
        const siblings = facts.get(message.id)?.siblings ?? [];
        return siblings.length > 1 ? [{ ...message, siblings }] : [];
      }),
    open: (id: string) => void show(id),
    openSection(question: Question, section: OutlineSection) {
      const { answerId: id } = question;
      if (id === undefined) return;
      if (section.kind === "heading")
        goToHeading(id, section.text, question === current ? undefined : () => void show(id));
      else
        void navigate({
          to: "/t/$threadId",
          params: { threadId },
          search: panelSearch({ panel: section.key, v: section.v }),
        });
    },
  };
}

/** 150 ms: an answer that is being written scrolls with each frame. */
const everyMs = 150;
/** The reading line, as a share of the thread's height: below the middle, where the list scrolls a message to. */
const readingShare = 0.55;

/** The id of the message in the middle of the visible part of the thread. */
function useCurrentMessage(): string | undefined {
  const [id, setId] = useState(findCurrent);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setId((before) => findCurrent() ?? before);
      }, everyMs);
    };
    update();
    // Scroll events do not bubble.
    document.addEventListener("scroll", update, { capture: true, passive: true });
    return () => {
      clearTimeout(timer);
      document.removeEventListener("scroll", update, { capture: true });
    };
  }, []);
  return id;
}

function findCurrent(): string | undefined {
  const scroller = document.querySelector('[role="log"]')?.parentElement?.parentElement;
  if (scroller == null) return undefined;
  const { top, height } = scroller.getBoundingClientRect();
  const line = top + height * readingShare;
  const messages = [...scroller.querySelectorAll<HTMLElement>("[data-message-id]")];
  const above = messages.findLast((message) => message.getBoundingClientRect().top <= line);
  return (above ?? messages[0])?.dataset["messageId"];
}
