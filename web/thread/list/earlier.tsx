import { useEffect, useRef } from "react";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./messages.module.css";

/** Loads earlier messages when the reader scrolls near the first one. The button is for keyboards and for failures. */
export function Earlier() {
  const { hasEarlier, isLoadingEarlier, loadEarlier } = useOpenThread();
  const marker = useRef<HTMLDivElement>(null);
  const load = useRef(loadEarlier);
  load.current = loadEarlier;
  useEffect(() => {
    if (!hasEarlier || isLoadingEarlier || marker.current === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) load.current();
      },
      { rootMargin: "600px 0px 0px" },
    );
    // Waits until the first layout has scrolled to the end of the thread.
    const timer = setTimeout(() => marker.current !== null && observer.observe(marker.current), 300);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [hasEarlier, isLoadingEarlier]);
  if (!hasEarlier) return null;
  return (
    <div ref={marker} className={styles["earlier"]}>
      <button
        type="button"
        className={styles["earlierButton"]}
        disabled={isLoadingEarlier}
        onClick={() => loadEarlier()}
      >
        {t(isLoadingEarlier ? "thread.earlierLoading" : "thread.earlier")}
      </button>
    </div>
  );
}
