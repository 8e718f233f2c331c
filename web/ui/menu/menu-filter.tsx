import { type ReactNode, useRef } from "react";
import Search from "lucide-react/icons/search";
import { t } from "#web/i18n/translate.ts";
import { Icon } from "../icon.tsx";
import type { MenuItem } from "./menu-item.ts";
import styles from "./menu.module.css";

/** The content of a menu with a field above its items. Typing anywhere in the menu goes to the field. */
export function FilteredItems({
  menuLabel,
  fieldLabel,
  typed,
  onType,
  children,
}: {
  menuLabel: string;
  fieldLabel: string;
  typed: string;
  onType(typed: string): void;
  /** The items that match; empty if there are none. */
  children: ReactNode[];
}) {
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const items = () => [
    ...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([data-disabled])") ?? []),
  ];

  const onKeyOfMenu = (event: React.KeyboardEvent) => {
    const isText =
      event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    const leavesItems = event.key === "ArrowUp" && event.target === items()[0];
    if (!isText && !leavesItems) return;
    // Not for Radix, which would move to an item. The browser types the character into the field.
    event.stopPropagation();
    if (leavesItems) event.preventDefault();
    field.current?.focus();
  };
  const onKeyOfField = (event: React.KeyboardEvent) => {
    if (event.key === "Tab") return;
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") items()[0]?.focus();
    else if (event.key === "ArrowUp") items().at(-1)?.focus();
    else if (event.key === "Enter") items()[0]?.click();
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles["filtered"]} onKeyDownCapture={onKeyOfMenu}>
      <div className={styles["field"]}>
        <Icon of={Search} size={16} />
        <input
          ref={field}
          type="text"
          dir={typed === "" ? undefined : "auto"}
          aria-label={fieldLabel}
          placeholder={fieldLabel}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => onType(event.currentTarget.value)}
          onKeyDown={onKeyOfField}
        />
      </div>
      {children.length === 0 ? (
        <p role="status" className={styles["none"]}>
          {t("palette.none")}
        </p>
      ) : (
        <div ref={list} role="menu" aria-label={menuLabel} className={styles["items"]}>
          {children}
        </div>
      )}
    </div>
  );
}

/** Whether the label or the secondary text contains each typed word. */
export function isMatch({ label, secondary = "" }: MenuItem, typed: string): boolean {
  const text = `${label} ${secondary}`.toLocaleLowerCase();
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
