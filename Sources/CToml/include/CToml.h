// A TOML 1.0 document as a tree of nodes that know their place in the file. Parsed by toml++, which
// allocates; walking the tree does not.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ctoml_document;

enum ctoml_type {
  CTOML_TABLE,
  CTOML_ARRAY,
  CTOML_STRING,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  CTOML_DATE_OR_TIME,
};

/// UTF-8, not terminated, as long as the document lives.
struct ctoml_text {
  const char *bytes;
  size_t count;
};

/// A place in the file: both count from 1; columns count characters. 0: not known.
struct ctoml_place {
  uint32_t line;
  uint32_t column;
};

struct ctoml_node {
  const void *handle;
  enum ctoml_type type;
  struct ctoml_place place;
};

/// A member of a table.
struct ctoml_member {
  struct ctoml_text key;
  struct ctoml_place key_place;
  struct ctoml_node value;
};

struct ctoml_error {
  struct ctoml_place place;
  char message[160]; // UTF-8, zero-terminated, cut where it is longer
};

/// NULL, with `error`, for a text that is not TOML.
struct ctoml_document *ctoml_parse(const char *text, size_t count, struct ctoml_error *error);
void ctoml_free(struct ctoml_document *document);

struct ctoml_node ctoml_root(const struct ctoml_document *document);

/// Finds a table's member: 1, or 0 where there is none or `table` is no table.
int ctoml_find(struct ctoml_node table, const char *key, size_t key_count,
               struct ctoml_member *member);
/// The member that follows the key `after` in the order of keys (NULL bytes: the first); 0 at the
/// end.
int ctoml_next(struct ctoml_node table, struct ctoml_text after, struct ctoml_member *member);

/// Elements of an array; 0 for other nodes.
size_t ctoml_count(struct ctoml_node array);
/// `index` must be below the count.
struct ctoml_node ctoml_element(struct ctoml_node array, size_t index);

/// The value of a node of that type; empty or 0 for others.
struct ctoml_text ctoml_string(struct ctoml_node node);
int64_t ctoml_integer(struct ctoml_node node);
double ctoml_float(struct ctoml_node node);
int ctoml_boolean(struct ctoml_node node);

#ifdef __cplusplus
}
#endif
