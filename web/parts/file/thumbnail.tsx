import { type ReactNode, useState } from "react";

type Props = {
  /** Where it may be had, the best first: what does not come makes room for the next. */
  sources: readonly string[];
  alt: string;
  className: string | undefined;
  /** Its room in pixels, where the style does not say it. */
  edge?: number;
  /** What stands there where nothing comes. */
  instead: ReactNode;
};

/** A small picture, brought when it is about to be seen. */
export function Thumbnail(props: Props) {
  return <Tried key={props.sources.join(" ")} {...props} />;
}

function Tried({ sources, alt, className, edge, instead }: Props) {
  const [failed, setFailed] = useState(0);
  const source = sources[failed];
  if (source === undefined) return instead;
  return (
    <img
      src={source}
      alt={alt}
      className={className}
      width={edge}
      height={edge}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(failed + 1)}
    />
  );
}
