/* cf.c: which variables are coordinates or belong to them, by the CF conventions
 * (cfconventions.org, version 1.11): they are not compressed unless they are asked for by name.
 *
 *   - coordinate variables: named as their own dimension (chapter 1.3), also where it is of a group
 *     further up
 *   - variables that attributes name: coordinates, bounds, cell_measures and so on, by the search
 *     of chapter 2.7
 *   - variables that say by units, axis, standard_name or name that they are longitude, latitude or
 *     time (chapter 4), or have attributes that only coordinates have */
#include "whole/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Attributes whose words are names of variables. Words that end with a colon are names only where
 * has_names_before_colons. */
static const struct {
    const char *name;
    bool has_names_before_colons;
} attributes[] = {{"coordinates", false},
                  {"bounds", false},
                  {"climatology", false},
                  {"cell_measures", false},
                  {"ancillary_variables", false},
                  {"grid_mapping", true},
                  {"formula_terms", false},
                  {"geometry", false},
                  {"node_coordinates", false},
                  {"node_count", false},
                  {"part_node_count", false},
                  {"interior_ring", false},
                  {"nodes", false},
                  {"edges", false},
                  {"edge_coordinates", false},
                  {"face_coordinates", false},
                  {"volume_coordinates", false},
                  {"coordinate_interpolation", true},
                  {"interpolation_parameters", false}};

/* ---- attributes as text ---------------------------------------------------------------------- */

/* All strings of an attribute, with blanks between; NULL where it is none or cannot be read. */
static char *read_variable_strings(hid_t attribute, hid_t type, size_t count)
{
    char **strings = calloc(count, sizeof *strings), *text = NULL;
    hid_t memory = H5Tcopy(type);
    size_t bytes = 1;
    if (strings && H5Aread(attribute, memory, strings) >= 0) {
        for (size_t i = 0; i < count; i++)
            bytes += strings[i] ? strlen(strings[i]) + 1 : 0;
        text = calloc(1, bytes);
        for (size_t i = 0, at = 0; text && i < count; i++)
            if (strings[i])
                at += (size_t)snprintf(text + at, bytes - at, "%s ", strings[i]);
        for (size_t i = 0; i < count; i++)
            (void)H5free_memory(strings[i]);
    }
    (void)H5Tclose(memory);
    free(strings);
    return text;
}

static char *read_fixed_strings(hid_t attribute, hid_t type, size_t count)
{
    const size_t bytes = count * H5Tget_size(type);
    char *text = calloc(1, bytes + 1);
    if (text && H5Aread(attribute, type, text) < 0) {
        free(text);
        return NULL;
    }
    for (size_t i = 0; text && i < bytes; i++)
        if (!text[i])
            text[i] = ' ';
    return text;
}

static char *read_words(hid_t object, const char *name)
{
    enum { STRINGS_MOST = 1 << 16 };
    char *text = NULL;
    if (H5Aexists(object, name) <= 0)
        return NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return NULL;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (H5Tget_class(type) == H5T_STRING && count > 0 && count <= STRINGS_MOST)
        text = H5Tis_variable_str(type) > 0 ? read_variable_strings(attribute, type, (size_t)count)
                                            : read_fixed_strings(attribute, type, (size_t)count);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Aclose(attribute);
    return text;
}

/* Whether an attribute is one of some words, blanks around it aside. */
static bool is_one_of(hid_t object, const char *name, const char *const *words, size_t count)
{
    char *text = read_words(object, name), *rest = NULL;
    const char *word = text ? strtok_r(text, " \t\n", &rest) : NULL;
    bool found = false;
    for (size_t i = 0; word && !found && i < count; i++)
        found = strcmp(word, words[i]) == 0;
    free(text);
    return found;
}

/* ---- from names to variables ----------------------------------------------------------------- */

static bool mark_path(struct whole *w, const char *path)
{
    H5O_info_t info;
    if (H5Oget_info_by_name2(w->in, path, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        return false;
    struct object *o = whole_find(w, &info);
    if (!o || o->type != H5O_TYPE_DATASET)
        return false;
    o->variable.is_coordinate = true;
    return true;
}

/* A name in a group; netCDF stores a variable that is named as a dimension, and is no coordinate
 * variable, under another name. */
static bool mark_in_group(struct whole *w, const char *group, size_t group_bytes, const char *name)
{
    const size_t bytes = group_bytes + strlen(name) + sizeof "/_nc4_non_coord_";
    char *path = malloc(bytes);
    bool found = false;
    if (!path)
        return false;
    (void)snprintf(path, bytes, "%.*s/_nc4_non_coord_%s", (int)group_bytes, group, name);
    found = mark_path(w, path);
    (void)snprintf(path, bytes, "%.*s/%s", (int)group_bytes, group, name);
    found |= mark_path(w, path);
    free(path);
    return found;
}

/* A path from a group on, which may begin with "../", or from the root. */
static void mark_relative(struct whole *w, const char *group, const char *name)
{
    size_t group_bytes = name[0] == '/' ? 0 : strlen(group);
    name += name[0] == '/';
    while (strncmp(name, "../", 3) == 0 || strncmp(name, "./", 2) == 0) {
        const bool is_up = name[1] == '.';
        while (is_up && group_bytes > 0 && group[--group_bytes] != '/')
            continue;
        name += is_up ? 3 : 2;
    }
    (void)mark_in_group(w, group, group_bytes, name);
}

/* A name without path: in its group, in the ones further up, and else wherever there is one. */
static void mark_nearest(struct whole *w, const char *group, const char *name)
{
    for (size_t bytes = strlen(group);; bytes--) {
        if (mark_in_group(w, group, bytes, name))
            return;
        while (bytes > 0 && group[bytes - 1] != '/')
            bytes--;
        if (bytes == 0)
            break;
    }
    for (size_t i = 0; i < w->count; i++) {
        struct object *o = &w->objects[i];
        if (o->type == H5O_TYPE_DATASET && strcmp(strrchr(o->path, '/') + 1, name) == 0)
            o->variable.is_coordinate = true;
    }
}

/* All that an attribute names. group: of the object, "" for the root. */
static void mark_named(struct whole *w, hid_t object, const char *group, size_t which)
{
    char *text = read_words(object, attributes[which].name), *at = text;
    while (at && *(at += strspn(at, " \t\r\n"))) {
        char *end = at + strcspn(at, " \t\r\n:");
        const char stop = *end;
        *end = 0;
        if (*at && (stop != ':' || attributes[which].has_names_before_colons)) {
            if (strchr(at, '/'))
                mark_relative(w, group, at);
            else
                mark_nearest(w, group, at);
        }
        at = end + (stop != 0);
    }
    free(text);
}

/* ---- what a variable says of itself ---------------------------------------------------------- */

static bool has_time_units(hid_t dataset)
{
    char *units = read_words(dataset, "units");
    const bool found = units && strstr(units, " since ");
    free(units);
    return found;
}

static bool has_coordinate_name(const char *path)
{
    static const char *const names[] = {"lat",   "lon",   "latitude", "longitude", "lat2d",
                                        "lon2d", "xlat",  "xlong",    "nav_lat",   "nav_lon",
                                        "tlat",  "tlong", "ulat",     "ulong"};
    const char *name = strrchr(path, '/') + 1;
    if (strstr(path, "/Geolocation Fields/")) /* of HDF-EOS5 swaths */
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool says_it_is_one(hid_t dataset, const char *path)
{
    static const char *const units[] = {
        "degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN",
        "degrees_east",  "degree_east",  "degree_E", "degrees_E", "degreeE", "degreesE"};
    static const char *const axes[] = {"X", "Y", "Z", "T"};
    static const char *const standard_names[] = {"latitude",
                                                 "longitude",
                                                 "time",
                                                 "grid_latitude",
                                                 "grid_longitude",
                                                 "projection_x_coordinate",
                                                 "projection_y_coordinate"};
    return H5Aexists(dataset, "bounds") > 0 || H5Aexists(dataset, "climatology") > 0 ||
           H5Aexists(dataset, "formula_terms") > 0 || has_coordinate_name(path) ||
           has_time_units(dataset) ||
           is_one_of(dataset, "units", units, sizeof units / sizeof *units) ||
           is_one_of(dataset, "axis", axes, sizeof axes / sizeof *axes) ||
           is_one_of(dataset, "standard_name", standard_names,
                     sizeof standard_names / sizeof *standard_names);
}

/* Whether the scale of the first dimension has the variable's own name: in netCDF-4 the dimension
 * of a group further up. */
static bool is_named_as_dimension(hid_t dataset, const char *path)
{
    char name[512] = "";
    hid_t attribute = H5Aexists(dataset, "DIMENSION_LIST") > 0
                          ? H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT)
                          : -1;
    if (attribute < 0)
        return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    hid_t element = H5Tget_class(type) == H5T_VLEN ? H5Tget_super(type) : -1;
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    hvl_t *lists = element >= 0 && H5Tequal(element, H5T_STD_REF_OBJ) > 0 && count == 1
                       ? calloc(1, sizeof *lists)
                       : NULL;
    if (lists && H5Aread(attribute, type, lists) >= 0) {
        if (lists->len > 0)
            (void)H5Rget_name(dataset, H5R_OBJECT, lists->p, name, sizeof name);
        (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
    }
    free(lists);
    if (element >= 0)
        (void)H5Tclose(element);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Aclose(attribute);
    const char *last = strrchr(name, '/');
    return last && strcmp(last + 1, strrchr(path, '/') + 1) == 0;
}

/* ---- all of a file --------------------------------------------------------------------------- */

static bool mark_from(struct whole *w, struct object *o)
{
    hid_t object = H5Oopen(w->in, o->path, H5P_DEFAULT);
    char *group = object >= 0 ? strdup(o->path) : NULL;
    if (!group) {
        const bool is_open = object >= 0;
        if (is_open)
            (void)H5Oclose(object);
        return is_open ? ztio_fail_memory(w->error, w->place) : whole_fail_read(w, o->path);
    }
    if (o->type == H5O_TYPE_DATASET || !group[1])
        *strrchr(group, '/') = 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        mark_named(w, object, group, i);
    if (o->type == H5O_TYPE_DATASET &&
        (ztio_is_scale_hdf5(object) || says_it_is_one(object, o->path) ||
         is_named_as_dimension(object, o->path)))
        o->variable.is_coordinate = true;
    free(group);
    (void)H5Oclose(object);
    return true;
}

bool whole_mark_coordinates(struct whole *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->objects[i].type != H5O_TYPE_NAMED_DATATYPE && !mark_from(w, &w->objects[i]))
            return false;
    return true;
}
