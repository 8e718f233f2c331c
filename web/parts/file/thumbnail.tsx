import { type ReactNode, useState } from "react";

type Props = {
  /** Addresses, best first. If one fails to load, the next is tried. */
  sources: readonly string[];
  alt: string;
  className: string | undefined;
  /** Width and height in pixels, if the style does not set them. */
  edge?: number;
  /** Shown when no address loads. */
  fallback: ReactNode;
};

/** A small picture that loads when it is about to be visible. */
export function Thumbnail(props: Props) {
  return <ThumbnailImage key={props.sources.join(" ")} {...props} />;
}

function ThumbnailImage({ sources, alt, className, edge, fallback }: Props) {
  const [failedCount, setFailedCount] = useState(0);
  const source = sources[failedCount];
  if (source === undefined) return fallback;
  return (
    <img
      src={source}
      alt={alt}
      className={className}
      width={edge}
      height={edge}
      loading="lazy"
      decoding="async"
      onError={() => setFailedCount(failedCount + 1)}
    />
  );
}
