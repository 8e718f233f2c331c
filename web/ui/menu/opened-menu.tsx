import { type ReactNode, useRef, useState } from "react";
import { Content, Group, Item, Portal, Root, Trigger } from "@radix-ui/react-dropdown-menu";
import Check from "lucide-react/icons/check";
import { Icon } from "../icon.tsx";
import type { MenuItem, MenuProps } from "./menu-item.ts";
import { FilteredItems, isMatch } from "./menu-filter.tsx";
import styles from "./menu.module.css";

/** A menu with its button. It is open when it mounts. */
export function OpenedMenu({ label, items, align = "start", filter, children }: MenuProps) {
  const [isOpen, setOpen] = useState(true);
  // `undefined` until something is typed.
  const [typed, setTyped] = useState<string>();
  const wasOpen = useRef(false);
  const selectedItem = useRef<MenuItem>(undefined);
  const onSelectItem = (item: MenuItem) => void (selectedItem.current = item);
  const dir = document.documentElement.dir === "rtl" ? "rtl" : "ltr";
  return (
    // A modal menu would add a style element, which the content security policy blocks.
    <Root
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setTyped(undefined);
      }}
      modal={false}
      dir={dir}
    >
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
          // A menu must not contain a field, so the dialog contains both.
          {...(filter === undefined ? {} : { role: "dialog", "aria-orientation": undefined })}
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
          {filter === undefined ? (
            renderSections(items(), true, onSelectItem)
          ) : (
            <FilteredItems menuLabel={label} fieldLabel={filter} typed={typed ?? ""} onType={setTyped}>
              {renderSections(
                items().filter((item) => isMatch(item, typed ?? "")),
                typed === undefined,
                onSelectItem,
              )}
            </FilteredItems>
          )}
        </Content>
      </Portal>
    </Root>
  );
}

/** `focuses`: the checked or first item takes the focus when it mounts. */
function renderSections(
  items: MenuItem[],
  focuses: boolean,
  onSelectItem: (item: MenuItem) => void,
): ReactNode[] {
  const enabled = items.filter(({ disabled }) => disabled !== true);
  const first = enabled.find(({ checked }) => checked) ?? enabled[0];
  return sectionsOf(items).map(({ name, items: sectionItems }, sectionIndex) => {
    const entries = sectionItems.map((item, index) => (
      // Labels are not unique.
      <Entry key={index} item={item} takesFocus={focuses && item === first} onSelectItem={onSelectItem} />
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
  takesFocus,
  onSelectItem,
}: {
  item: MenuItem;
  takesFocus: boolean;
  onSelectItem(item: MenuItem): void;
}) {
  const { label, secondary, marks = [], icon, leading, tone, checked, disabled } = item;
  return (
    <Item
      ref={takesFocus ? takeFocus : undefined}
      {...(checked === undefined ? {} : { role: "menuitemradio", "aria-checked": checked })}
      textValue={label}
      data-tone={tone}
      disabled={disabled === true}
      className={styles["item"]}
      onSelect={() => onSelectItem(item)}
    >
      <Slot>{leading ?? (icon !== undefined && <Icon of={icon} size={16} />)}</Slot>
      <span className={styles["label"]}>
        <bdi>{label}</bdi>
        {secondary !== undefined && (
          <bdi dir="ltr" className={styles["secondary"]}>
            {secondary}
          </bdi>
        )}
      </span>
      {marks.length > 0 && (
        <span className={styles["marks"]}>
          {marks.map((mark) => (
            <span key={mark.label} role="img" aria-label={mark.label} data-tip={mark.label}>
              <Icon of={mark.icon} size={14} />
            </span>
          ))}
        </span>
      )}
      {checked !== undefined && <Slot>{checked && <Icon of={Check} size={16} />}</Slot>}
    </Item>
  );
}

/** Radix focuses no item in a menu that the pointer opened, and never the checked one. */
function takeFocus(item: HTMLElement | null): void {
  if (item === null) return;
  item.focus({ preventScroll: true });
  const list = item.closest<HTMLElement>(`.${styles["items"]}`);
  if (list !== null) list.scrollTop = item.offsetTop - list.clientHeight / 3;
}

function Slot({ children }: { children: ReactNode }) {
  return children === false ? null : <span className={styles["slot"]}>{children}</span>;
}
