import { useEffect, useState } from "react";

/** 150 ms: an answer that is being written scrolls with each frame. */
const everyMs = 150;
/** The reading line, as a share of the thread's height: below the middle, where the list scrolls a message to. */
const readingShare = 0.55;

/** The id of the message in the middle of the visible part of the thread. */
export function useCurrentMessage(): string | undefined {
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
