import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import type { ImageView, PartId } from '@shared/model';
import { call, isAbandoned } from '../../../rpc';
import { formatBytes } from '../../../ui/format';

/** Picture types a browser draws without running anything; SVG could hold scripts and is named instead. */
const drawable = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

interface PictureProps {
  part: PartId;
  image: ImageView;
  /** Its number inside the part, as `part.image` counts. */
  number: number;
  name: string;
}

/** A picture of a fixed height, so that it moves nothing when it is there; larger in a sheet of its own. */
export function Picture({ part, image, number, name }: PictureProps) {
  const [data, setData] = useState(image.data);
  const canDraw = drawable.has(image.mime);
  const missing = canDraw && data === null;

  useEffect(() => {
    if (!missing) return undefined;
    const abort = new AbortController();
    call('part.image', { part, image: number }, { signal: abort.signal })
      .then((answer) => setData(answer?.data ?? null))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) console.error('The picture could not be read.', error);
      });
    return () => abort.abort();
  }, [missing, part, number]);

  const caption = `${name}, ${image.mime}, ${formatBytes(image.bytes)}`;
  if (!canDraw || data === null) {
    return (
      <div className="picture picture-blank soft">
        {caption}
        {!canDraw && '; this kind is not drawn'}
      </div>
    );
  }
  const source = `data:${image.mime};base64,${data}`;
  return (
    <Dialog.Root>
      <Dialog.Trigger className="picture" title={caption}>
        <img src={source} alt={caption} />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content className="picture-sheet" aria-describedby={undefined}>
          <Dialog.Title className="soft">{caption}</Dialog.Title>
          <img src={source} alt={caption} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export function Pictures({ part, images, first }: { part: PartId; images: ImageView[]; first: number }) {
  if (images.length === 0) return null;
  return (
    <div className="pictures">
      {images.map((image, at) => (
        <Picture key={at} part={part} image={image} number={first + at} name={`Picture ${at + 1}`} />
      ))}
    </div>
  );
}
