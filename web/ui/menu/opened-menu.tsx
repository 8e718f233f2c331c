import { type ReactNode, useRef, useState } from "react";
import { Content, Group, Item, Portal, Root, Trigger } from "@radix-ui/react-dropdown-menu";
import Check from "lucide-react/icons/check";
import { Icon } from "../icon.tsx";
import type { MenuItem, MenuProps } from "./menu-item.ts";
import styles from "./menu.module.css";

/** A menu that is open at first, with its button. */
export function OpenedMenu({ label, items, align = "start", children }: MenuProps) {
  const [isOpen, setOpen] = useState(true);
  const wasOpen = useRef(false);
  const chosen = useRef<MenuItem>(undefined);
  const dir = document.documentElement.dir === "rtl" ? "rtl" : "ltr";
  return (
    // Modal, it would add a style element, which the page's policy refuses.
    <Root open={isOpen} onOpenChange={setOpen} modal={false} dir={dir}>
      <Trigger
        asChild
        // Radix opens on the pointer's way down, where a finger may only begin to scroll.
        onPointerDown={(event) => {
          wasOpen.current = isOpen;
          event.preventDefault();
        }}
        onClick={() => {
          // A press on the button of an open menu has closed it already.
          if (!wasOpen.current) setOpen(true);
          wasOpen.current = false;
        }}
      >
        {children}
      </Trigger>
      <Portal>
        <Content
          loop
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          aria-labelledby={undefined}
          className={styles["menu"]}
          // What is around the button in React's tree does not hear of what is done in the menu.
          onPointerDown={(event) => event.stopPropagation()}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === "Tab") setOpen(false);
          }}
          onEscapeKeyDown={(event) => event.stopPropagation()}
          onCloseAutoFocus={() => {
            const item = chosen.current;
            chosen.current = undefined;
            // The button gets the focus first.
            queueMicrotask(() => item?.onSelect());
          }}
        >
          <Sections items={items()} onChoose={(item) => void (chosen.current = item)} />
        </Content>
      </Portal>
    </Root>
  );
}

function Sections({ items, onChoose }: { items: MenuItem[]; onChoose(item: MenuItem): void }) {
  const first = items.find(({ checked }) => checked) ?? items[0];
  return sectionsOf(items).map(({ name, items: some }, index) => {
    const entries = some.map((item, at) => (
      // Two items may have the same label.
      <Entry key={at} item={item} isFirst={item === first} onChoose={onChoose} />
    ));
    return name === undefined ? (
      entries
    ) : (
      <Group key={index} aria-label={name} className={styles["section"]}>
        <div aria-hidden className={styles["sectionName"]}>
          {name}
        </div>
        {entries}
      </Group>
    );
  });
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

function Entry({
  item,
  isFirst,
  onChoose,
}: {
  item: MenuItem;
  isFirst: boolean;
  onChoose(item: MenuItem): void;
}) {
  const { label, icon, leading, tone, checked } = item;
  return (
    <Item
      ref={isFirst ? takeFocus : undefined}
      {...(checked === undefined ? {} : { role: "menuitemradio", "aria-checked": checked })}
      textValue={label}
      data-tone={tone}
      className={styles["item"]}
      onSelect={() => onChoose(item)}
    >
      <Slot>{leading ?? (icon !== undefined && <Icon of={icon} size={16} />)}</Slot>
      <bdi className={styles["label"]}>{label}</bdi>
      {checked !== undefined && <Slot>{checked && <Icon of={Check} size={16} />}</Slot>}
    </Item>
  );
}

/** Radix by itself gives no item the focus in a menu that the pointer opened, and never the checked one. */
function takeFocus(item: HTMLElement | null): void {
  item?.focus({ preventScroll: true });
}

function Slot({ children }: { children: ReactNode }) {
  return children === false ? null : <span className={styles["slot"]}>{children}</span>;
}
