import type { FileBytes } from '@shared/model';
import type { Content } from '../diff/content';
import { fileBytes } from '../diff/file-bytes';
import type { SessionSource } from '../diff/session-source';
import type { Reach } from '../queries/folder-state';
import { ProjectFiles } from './disk-file';
import { diskContent, type PlannedFile } from './planned-files';

/** A file of a preview as bytes, as it lies on the disk now. */
export async function bytesOnDisk(folders: readonly string[], reach: Reach, { path, isMemory }: PlannedFile): Promise<FileBytes> {
  if (isMemory) return fileBytes({ state: 'unknown' }, async () => null);
  const disk = new ProjectFiles(folders, reach);
  return fileBytes(diskContent(await disk.read(path)), () => disk.bytes(path));
}

/** As the records have it. The source is closed after it: it is asked for this alone. */
export async function recordedBytes(source: SessionSource, content: Content): Promise<FileBytes> {
  try {
    return await fileBytes(content, (binary) => source.bytes(binary));
  } finally {
    source.close();
  }
}
