import { cloneElement, type Ref, useState } from "react";
import Ellipsis from "lucide-react/icons/ellipsis";
import { IconButton } from "../button.tsx";
import { showLoadFailure } from "../load-failure.tsx";
import type { MenuItem, MenuProps } from "./menu-item.ts";
import { createLazyModule } from "../lazy-module.ts";

const openedMenu = createLazyModule(
  () => import("./opened-menu.tsx"),
  (module) => module.OpenedMenu,
);

/** Loads the code of menus before the first one opens. */
export const loadMenus = openedMenu.load;

/** Makes a button open a menu. Radix's menu is loaded at the first press and then stays mounted with the button. */
export function Menu(props: MenuProps) {
  const [isRequested, setRequested] = useState(false);
  const OpenedMenu = openedMenu.use();
  if (isRequested && OpenedMenu !== undefined && OpenedMenu !== "failed") return <OpenedMenu {...props} />;
  const open = () => {
    setRequested(true);
    void openedMenu.load().then((hasLoaded) => {
      if (hasLoaded) return;
      setRequested(false);
      void showLoadFailure(openedMenu, open);
    });
  };
  return cloneElement(props.children, { "aria-haspopup": "menu", "aria-expanded": false, onClick: open });
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
