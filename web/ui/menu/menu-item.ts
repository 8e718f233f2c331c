import type { ReactElement, ReactNode } from "react";
import type { LucideIcon } from "lucide-react";

export type MenuItem = {
  label: string;
  /** Shown below the label. */
  secondary?: string | undefined;
  /** Small icons below the label, each with its name. */
  marks?: readonly { icon: LucideIcon; label: string }[];
  /** The heading above this item and its neighbours with the same section. */
  section?: string;
  icon?: LucideIcon;
  /** Shown in place of an icon. Hidden from screen readers. */
  leading?: ReactNode;
  /** `danger` is for deleting and resetting. */
  tone?: "danger";
  /** Makes the section a choice of one. */
  checked?: boolean;
  /** Shows the item without letting anyone choose it. `secondary` says why. */
  disabled?: boolean;
  /** Called after the menu has closed and its button has the focus. */
  onSelect(): void;
};

export type MenuProps = {
  /** The menu's name for screen readers. */
  label: string;
  /** Called when the menu opens. */
  items: () => MenuItem[];
  align?: "start" | "end";
  /** The name of a field above the items, which shows those that match what is typed. For long menus. */
  filter?: string | undefined;
  /** The button that opens the menu. */
  children: ReactElement<React.ComponentPropsWithRef<"button">>;
};
