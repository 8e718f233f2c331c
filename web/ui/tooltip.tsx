import { useEffect, useRef } from "react";
import styles from "./tooltip.module.css";

/** 500 ms: a pointer that only passes over a control opens no tooltip. */
const delayMs = 500;

/** Pixels between a tooltip and the window's edge. */
const margin = 8;

/**
 * Shows the `data-tip` of the control under the pointer or with the keyboard focus. It repeats the control's accessible
 * name, so it is hidden from screen readers. Esc and any press close it.
 */
export function TooltipHost() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = box.current;
    if (tip === null) return undefined;
    const stop = new AbortController();
    const on = <Type extends keyof DocumentEventMap>(
      type: Type,
      run: (event: DocumentEventMap[Type]) => void,
    ) => document.addEventListener(type, run, { signal: stop.signal, capture: true });
    let timer: ReturnType<typeof setTimeout> | undefined;

    const hide = () => {
      clearTimeout(timer);
      if (tip.matches(":popover-open")) tip.hidePopover();
    };
    const show = (target: Element) => {
      const text = target.getAttribute("data-tip");
      if (text === null || !target.isConnected || target.ariaExpanded === "true") return;
      tip.textContent = text;
      tip.showPopover();
      place(tip, target.getBoundingClientRect());
    };

    on("pointerover", (event) => {
      const target = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
      hide();
      if (target !== null && event.pointerType === "mouse") timer = setTimeout(() => show(target), delayMs);
    });
    on("focusin", (event) => {
      hide();
      const target = event.target instanceof Element ? event.target : null;
      if (target?.hasAttribute("data-tip") === true && target.matches(":focus-visible")) show(target);
    });
    on("focusout", hide);
    on("pointerdown", hide);
    on("scroll", hide);
    on("keydown", (event) => {
      // Esc closes only the tooltip and does not stop an answer. An open dialog or drawer closes as well.
      const isAbove = document.activeElement?.closest("dialog, aside") != null;
      if (event.key === "Escape" && tip.matches(":popover-open") && !isAbove) {
        event.preventDefault();
        event.stopPropagation();
      }
      hide();
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, []);
  return <div ref={box} popover="manual" aria-hidden className={styles["tip"]} />;
}

/** Positions the tooltip below the middle of `target`, or above it at the bottom of the window. */
function place(tip: HTMLElement, target: DOMRect): void {
  const gap = 6;
  tip.style.inset = "0 auto auto 0";
  const { width, height } = tip.getBoundingClientRect();
  const below = target.bottom + gap;
  const top = below + height > innerHeight - margin ? target.top - gap - height : below;
  tip.style.left = `${clamp((target.left + target.right - width) / 2, innerWidth - width)}px`;
  tip.style.top = `${clamp(top, innerHeight - height)}px`;
}

function clamp(value: number, max: number): number {
  return Math.round(Math.max(margin, Math.min(value, max - margin)));
}
