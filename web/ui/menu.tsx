import { type ReactNode, type Ref, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import Check from "lucide-react/icons/check";
import Ellipsis from "lucide-react/icons/ellipsis";
import type { LucideIcon } from "lucide-react";
import { IconButton } from "./button.tsx";
import { place } from "./float.ts";
import { Icon } from "./icon.tsx";
import { createStore } from "./store.ts";
import styles from "./menu.module.css";

export type MenuItem = {
  label: string;
  /** What it belongs to: said above the first item of each. */
  section?: string;
  icon?: LucideIcon;
  /** A drawing of its own in the place of an icon; not read out. */
  leading?: ReactNode;
  /** `loss` is for what takes something away. */
  tone?: "loss";
  /** Makes the menu a choice of one. */
  checked?: boolean;
  onSelect(): void;
};

type OpenMenu = {
  label: string;
  items: MenuItem[];
  anchor: HTMLElement;
  align: "start" | "end";
  /** What has the focus again when the menu closes without a choice. */
  opener: HTMLElement | null;
  onClose?: (() => void) | undefined;
};

const current = createStore<OpenMenu | undefined>(undefined);

/** Opens a menu at `anchor`. There is one menu at a time; `MenuHost` shows it. */
export function openMenu(menu: Omit<OpenMenu, "opener">): void {
  const opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  flushSync(() => current.set({ ...menu, opener }));
}

/** The button of three dots that opens a menu. `items` is asked for when it opens; `tip` is shorter than its name. */
export function MenuButton({
  ref,
  label,
  tip = label,
  items,
  align = "end",
  className,
  tabIndex,
}: {
  ref?: Ref<HTMLButtonElement>;
  label: string;
  tip?: string;
  items: () => MenuItem[];
  align?: "start" | "end";
  className?: string | undefined;
  tabIndex?: number;
}) {
  const { isOpen, triggerProps } = useMenuTrigger(label, items, align);
  return (
    <IconButton
      {...(ref === undefined ? {} : { ref })}
      icon={Ellipsis}
      label={label}
      data-tip={tip}
      className={className}
      tabIndex={tabIndex}
      data-open={isOpen || undefined}
      {...triggerProps}
    />
  );
}

/** What makes any button a menu's button. */
export function useMenuTrigger(label: string, items: () => MenuItem[], align: "start" | "end" = "start") {
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  return {
    isOpen,
    triggerProps: {
      "aria-haspopup": "menu" as const,
      "aria-expanded": isOpen,
      // A press outside closes the menu before the click arrives, and the click must not open it again.
      onPointerDown: () => void (wasOpen.current = isOpen),
      onClick: (event: React.MouseEvent<HTMLElement>) => {
        event.preventDefault();
        if (wasOpen.current) return void (wasOpen.current = false);
        setOpen(true);
        const anchor = event.currentTarget;
        openMenu({ label, items: items(), anchor, align, onClose: () => setOpen(false) });
      },
    },
  };
}

/** Shows the open menu, above everything. */
export function MenuHost() {
  const menu = current.use();
  const box = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const element = box.current;
    if (menu === undefined || element === null) return undefined;
    element.showPopover();
    place(element, menu.anchor.getBoundingClientRect(), menu.align);
    const items = itemsOf(element);
    (items.find((item) => item.ariaChecked === "true") ?? items[0])?.focus({ preventScroll: true });
    // The window changes its size as the keyboard of a telephone goes, too.
    const follow = () => {
      if (menu.anchor.getClientRects().length > 0)
        place(element, menu.anchor.getBoundingClientRect(), menu.align);
      else finish(menu);
    };
    addEventListener("resize", follow);
    return () => removeEventListener("resize", follow);
  }, [menu]);

  if (menu === undefined) return null;
  return (
    <div
      key={menu.label}
      ref={box}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={menu.label}
      className={styles["menu"]}
      onKeyDown={(event) => move(event, menu)}
      onToggle={(event) => {
        if (event.nativeEvent.newState === "closed") finish(menu);
      }}
    >
      {sectionsOf(menu.items).map(({ name, items }, index) =>
        name === undefined ? (
          // Sections come and go with the whole menu.
          <Items key={index} items={items} menu={menu} />
        ) : (
          <div key={index} role="group" aria-label={name} className={styles["section"]}>
            <div aria-hidden className={styles["sectionName"]}>
              {name}
            </div>
            <Items items={items} menu={menu} />
          </div>
        ),
      )}
    </div>
  );
}

function sectionsOf(items: MenuItem[]): { name: string | undefined; items: MenuItem[] }[] {
  const sections: { name: string | undefined; items: MenuItem[] }[] = [];
  for (const item of items) {
    const last = sections.at(-1);
    if (last !== undefined && last.name === item.section) last.items.push(item);
    else sections.push({ name: item.section, items: [item] });
  }
  return sections;
}

function Items({ items, menu }: { items: MenuItem[]; menu: OpenMenu }) {
  const isChoice = items.some((item) => item.checked !== undefined);
  return items.map((item, index) => (
    <button
      // Two may be called the same.
      key={index}
      type="button"
      role={isChoice ? "menuitemradio" : "menuitem"}
      aria-checked={isChoice ? (item.checked ?? false) : undefined}
      tabIndex={-1}
      data-tone={item.tone}
      data-label={item.label}
      className={styles["item"]}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        finish(menu);
        item.onSelect();
      }}
    >
      <Slot>{item.leading ?? (item.icon !== undefined && <Icon of={item.icon} size={16} />)}</Slot>
      <bdi className={styles["label"]}>{item.label}</bdi>
      {isChoice && <Slot>{item.checked === true && <Icon of={Check} size={16} />}</Slot>}
    </button>
  ));
}

function Slot({ children }: { children: ReactNode }) {
  return children === false ? null : <span className={styles["slot"]}>{children}</span>;
}

function finish(menu: OpenMenu): void {
  if (current.get() !== menu) return;
  current.set(undefined);
  menu.onClose?.();
  menu.opener?.focus({ preventScroll: true });
}

function move(event: React.KeyboardEvent<HTMLElement>, menu: OpenMenu): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = nextOf(event, items, at);
  if (event.key === "Tab" || event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    finish(menu);
  } else if (to !== undefined) {
    event.preventDefault();
    items[to]?.focus();
  }
}

function nextOf(event: React.KeyboardEvent, items: HTMLElement[], at: number): number | undefined {
  if (event.key === "ArrowDown") return (at + 1) % items.length;
  if (event.key === "ArrowUp") return (at - 1 + items.length) % items.length;
  if (event.key === "Home") return 0;
  if (event.key === "End") return items.length - 1;
  if (event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey) return undefined;
  const letter = event.key.toLocaleLowerCase();
  const found = items.findIndex(
    (_, i) =>
      items[(at + 1 + i) % items.length]?.dataset["label"]?.trim().toLocaleLowerCase().startsWith(letter) ===
      true,
  );
  return found === -1 ? undefined : (at + 1 + found) % items.length;
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role^='menuitem']")];
}
