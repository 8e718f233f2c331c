import type { ComponentPropsWithRef } from "react";
import type { LucideIcon } from "lucide-react";
import { Icon } from "./icon.tsx";
import styles from "./button.module.css";

type ButtonProps = ComponentPropsWithRef<"button"> & {
  /** `strong`: the main action. `plain`: a minor action. `danger`: cannot be undone. `secondary`: everything else. */
  look?: "strong" | "secondary" | "plain" | "danger";
  icon?: LucideIcon;
};

export function Button({ look = "secondary", icon, className, children, ...props }: ButtonProps) {
  return (
    <button type="button" {...props} data-look={look} className={join(styles["button"], className)}>
      {icon !== undefined && <Icon of={icon} size={16} />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ComponentPropsWithRef<"button">, "children" | "aria-label"> & {
  icon: LucideIcon;
  /** The accessible name, also shown as a tooltip. */
  label: string;
  /** The keyboard shortcut, shown in the tooltip from left to right in every language. */
  keys?: string;
  size?: number;
  /** `danger`: deletes something. */
  tone?: "danger" | undefined;
};

export function IconButton({ icon, label, keys, size, tone, className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      data-tip={keys === undefined ? label : `${label}  \u2066${keys}\u2069`}
      {...props}
      aria-label={label}
      data-tone={tone}
      className={join(styles["iconButton"], className)}
    >
      <Icon of={icon} {...(size === undefined ? {} : { size })} />
    </button>
  );
}

/** Joins class names and skips the missing ones. */
export function join(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
