import { type ReactNode, useRef, useState } from "react";
import { Content, Group, Item, Portal, Root, Trigger } from "@radix-ui/react-dropdown-menu";
import Check from "lucide-react/icons/check";
import { Icon } from "../icon.tsx";
import type { MenuItem, MenuProps } from "./menu-item.ts";
import styles from "./menu.module.css";

/** A menu with its button. It is open when it mounts. */
export function OpenedMenu({ label, items, align = "start", children }: MenuProps) {
  const [isOpen, setOpen] = useState(true);
  const wasOpen = useRef(false);
  const selectedItem = useRef<MenuItem>(undefined);
  const dir = document.documentElement.dir === "rtl" ? "rtl" : "ltr";
  return (
    // A modal menu would add a style element, which the content security policy blocks.
    <Root open={isOpen} onOpenChange={setOpen} modal={false} dir={dir}>
      <Trigger
        asChild
        // Radix opens on pointerdown, which may also be the start of a scroll on touch screens.
        onPointerDown={(event) => {
          wasOpen.current = isOpen;
          event.preventDefault();
        }}
        onClick={() => {
          // If the menu was open, this press has closed it already.
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
          // React bubbles events of the portal to the button's ancestors, which must not handle them.
          onPointerDown={(event) => event.stopPropagation()}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === "Tab") setOpen(false);
          }}
          onEscapeKeyDown={(event) => event.stopPropagation()}
          onCloseAutoFocus={() => {
            const item = selectedItem.current;
            selectedItem.current = undefined;
            // The button gets the focus first.
            queueMicrotask(() => item?.onSelect());
          }}
        >
          <Sections items={items()} onSelectItem={(item) => void (selectedItem.current = item)} />
        </Content>
      </Portal>
    </Root>
  );
}

function Sections({ items, onSelectItem }: { items: MenuItem[]; onSelectItem(item: MenuItem): void }) {
  const first = items.find(({ checked }) => checked) ?? items[0];
  return sectionsOf(items).map(({ name, items: sectionItems }, sectionIndex) => {
    const entries = sectionItems.map((item, index) => (
      // Labels are not unique.
      <Entry key={index} item={item} isFirst={item === first} onSelectItem={onSelectItem} />
    ));
    return name === undefined ? (
      entries
    ) : (
      <Group key={sectionIndex} aria-label={name} className={styles["section"]}>
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
  onSelectItem,
}: {
  item: MenuItem;
  isFirst: boolean;
  onSelectItem(item: MenuItem): void;
}) {
  const { label, icon, leading, tone, checked } = item;
  return (
    <Item
      ref={isFirst ? takeFocus : undefined}
      {...(checked === undefined ? {} : { role: "menuitemradio", "aria-checked": checked })}
      textValue={label}
      data-tone={tone}
      className={styles["item"]}
      onSelect={() => onSelectItem(item)}
    >
      <Slot>{leading ?? (icon !== undefined && <Icon of={icon} size={16} />)}</Slot>
      <bdi className={styles["label"]}>{label}</bdi>
      {checked !== undefined && <Slot>{checked && <Icon of={Check} size={16} />}</Slot>}
    </Item>
  );
}

/** Radix focuses no item in a menu that the pointer opened, and never the checked one. */
function takeFocus(item: HTMLElement | null): void {
  item?.focus({ preventScroll: true });
}

function Slot({ children }: { children: ReactNode }) {
  return children === false ? null : <span className={styles["slot"]}>{children}</span>;
}
