import { useId } from "react";
import type { LucideIcon } from "lucide-react";
import { Icon } from "./icon.tsx";
import styles from "./radio-group.module.css";

type Option<Value extends string> = {
  value: Value;
  label: string;
  /** The language of the label, if it differs from the page's. */
  lang?: string;
  hint?: string;
  icon?: LucideIcon;
};

/** A group of radio buttons. */
export function RadioGroup<Value extends string>({
  legend,
  value,
  options,
  onChange,
}: {
  legend: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange(value: Value): void;
}) {
  const name = useId();
  return (
    <fieldset className={styles["choice"]}>
      <legend className={styles["legend"]}>{legend}</legend>
      <div className={styles["options"]}>
        {options.map((option) => (
          <label key={option.value} className={styles["option"]}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              className="visually-hidden"
              onChange={() => onChange(option.value)}
            />
            {option.icon !== undefined && <Icon of={option.icon} />}
            <span lang={option.lang}>
              {option.label}
              {option.hint !== undefined && <small className={styles["hint"]}>{option.hint}</small>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
