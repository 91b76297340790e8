#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// Arrays and inline tables within each other: the parser calls itself for each. Settings have two.
#define TOML_MAX_NESTED_VALUES 16
#include "CToml.h"

#include <cstdio>
#include <new>
#include <toml++/toml.h>

struct ctoml_document {
  toml::table root;
};

namespace {

ctoml_place place_of(const toml::source_region &source) {
  return {source.begin.line, source.begin.column};
}

ctoml_type type_of(const toml::node &node) {
  switch (node.type()) {
  case toml::node_type::table: return CTOML_TABLE;
  case toml::node_type::array: return CTOML_ARRAY;
  case toml::node_type::string: return CTOML_STRING;
  case toml::node_type::integer: return CTOML_INTEGER;
  case toml::node_type::floating_point: return CTOML_FLOAT;
  case toml::node_type::boolean: return CTOML_BOOLEAN;
  default: return CTOML_DATE_OR_TIME;
  }
}

ctoml_node node_of(const toml::node &node) {
  return {&node, type_of(node), place_of(node.source())};
}

const toml::node *of_type(ctoml_node node, ctoml_type type) {
  return node.handle && node.type == type ? static_cast<const toml::node *>(node.handle) : nullptr;
}

ctoml_member member_of(toml::table::const_iterator at) {
  auto key = at->first.str();
  return {{key.data(), key.size()}, place_of(at->first.source()), node_of(at->second)};
}

} // namespace

ctoml_document *ctoml_parse(const char *text, size_t count, ctoml_error *error) {
  auto result = toml::parse(std::string_view(text, count));
  if (!result) {
    const auto &failure = result.error();
    auto message = failure.description();
    error->place = place_of(failure.source());
    snprintf(error->message, sizeof error->message, "%.*s", int(message.size()), message.data());
    return nullptr;
  }
  return new (std::nothrow) ctoml_document{std::move(result).table()};
}

void ctoml_free(ctoml_document *document) { delete document; }

ctoml_node ctoml_root(const ctoml_document *document) { return node_of(document->root); }

int ctoml_find(ctoml_node table, const char *key, size_t key_count, ctoml_member *member) {
  auto node = of_type(table, CTOML_TABLE);
  if (!node) return 0;
  auto at = node->as_table()->find(std::string_view(key, key_count));
  if (at == node->as_table()->cend()) return 0;
  *member = member_of(at);
  return 1;
}

int ctoml_next(ctoml_node table, ctoml_text after, ctoml_member *member) {
  auto node = of_type(table, CTOML_TABLE);
  if (!node) return 0;
  auto at = node->as_table()->cbegin();
  if (after.bytes) {
    std::string_view key(after.bytes, after.count);
    at = node->as_table()->lower_bound(key);
    if (at != node->as_table()->cend() && at->first.str() == key) ++at;
  }
  if (at == node->as_table()->cend()) return 0;
  *member = member_of(at);
  return 1;
}

size_t ctoml_count(ctoml_node array) {
  auto node = of_type(array, CTOML_ARRAY);
  return node ? node->as_array()->size() : 0;
}

ctoml_node ctoml_element(ctoml_node array, size_t index) {
  return node_of((*of_type(array, CTOML_ARRAY)->as_array())[index]);
}

ctoml_text ctoml_string(ctoml_node node) {
  auto string = of_type(node, CTOML_STRING);
  if (!string) return {"", 0};
  const auto &value = string->as_string()->get();
  return {value.data(), value.size()};
}

int64_t ctoml_integer(ctoml_node node) {
  auto integer = of_type(node, CTOML_INTEGER);
  return integer ? integer->as_integer()->get() : 0;
}

double ctoml_float(ctoml_node node) {
  auto number = of_type(node, CTOML_FLOAT);
  return number ? number->as_floating_point()->get() : 0;
}

int ctoml_boolean(ctoml_node node) {
  auto boolean = of_type(node, CTOML_BOOLEAN);
  return boolean && boolean->as_boolean()->get();
}
