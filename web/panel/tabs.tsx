import { useRef } from "react";
import styles from "./tabs.module.css";

/** Tabs. The arrow keys select the next one. */
export function Tabs<Value extends string>({
  label,
  tabs,
  selected,
  panelId,
  onSelect,
}: {
  label: string;
  tabs: readonly { value: Value; label: string }[];
  selected: Value;
  /** The id of the element that shows the selected tab. */
  panelId: string;
  onSelect(value: Value): void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: React.KeyboardEvent) => {
    const isRightToLeft = getComputedStyle(event.currentTarget).direction === "rtl";
    const next = isRightToLeft ? "ArrowLeft" : "ArrowRight";
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const at = tabs.findIndex(({ value }) => value === selected) + (event.key === next ? 1 : -1);
    const tab = tabs[(at + tabs.length) % tabs.length];
    if (tab === undefined) return;
    event.preventDefault();
    onSelect(tab.value);
    list.current?.querySelector<HTMLElement>(`[data-value="${tab.value}"]`)?.focus();
  };
  return (
    // The selected tab takes the focus.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div ref={list} role="tablist" aria-label={label} className="flex gap-1" onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          data-value={tab.value}
          aria-selected={tab.value === selected}
          aria-controls={panelId}
          tabIndex={tab.value === selected ? 0 : -1}
          className={styles["tab"]}
          onClick={() => onSelect(tab.value)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
