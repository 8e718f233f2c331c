import { cloneElement, type Ref, useState } from "react";
import Ellipsis from "lucide-react/icons/ellipsis";
import { IconButton } from "../button.tsx";
import { sayMissing } from "../load-failure.ts";
import type { MenuItem, MenuProps } from "./menu-item.ts";
import { createPiece } from "../lazy-module.ts";

const opened = createPiece(async () => (await import("./opened-menu.tsx")).OpenedMenu);

/** Loads the code of menus before somebody opens one. */
export const bringMenus = opened.bring;

/** Makes a button open a menu. Radix's menu is loaded at the first press, and stays with the button from then on. */
export function Menu(props: MenuProps) {
  const [isAsked, setAsked] = useState(false);
  const OpenedMenu = opened.use();
  if (isAsked && OpenedMenu !== undefined && OpenedMenu !== "failed") return <OpenedMenu {...props} />;
  const ask = () => {
    setAsked(true);
    void opened.bring().then((came) => {
      if (came) return;
      setAsked(false);
      void sayMissing(ask);
    });
  };
  return cloneElement(props.children, { "aria-haspopup": "menu", "aria-expanded": false, onClick: ask });
}

/** The button of three dots that opens a menu. `tip` is shorter than the label. */
export function MenuButton({
  ref,
  label,
  tip = label,
  items,
  className,
  tabIndex,
}: {
  ref?: Ref<HTMLButtonElement>;
  label: string;
  tip?: string;
  items: () => MenuItem[];
  className?: string | undefined;
  tabIndex?: number;
}) {
  return (
    <Menu label={label} items={items} align="end">
      <IconButton
        {...(ref === undefined ? {} : { ref })}
        icon={Ellipsis}
        label={label}
        data-tip={tip}
        className={className}
        tabIndex={tabIndex}
      />
    </Menu>
  );
}
